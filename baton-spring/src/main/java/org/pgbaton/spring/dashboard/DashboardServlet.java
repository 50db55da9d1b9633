package org.pgbaton.spring.dashboard;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.Dashboard;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.Request;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.dashboard.http.Viewer;

/**
 * Serves the dashboard in the application's web server. Who may look and act is decided by the roles that the application gives its users.
 * Mapped to {@code PATH/*}. As the container calls it.
 */
public final class DashboardServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Baton baton;
    private final transient DashboardProperties properties;
    private final transient DashboardViewers viewers;
    private final transient LiveStreams streams;
    private final transient Supplier<List<ServedPart>> served;
    private transient @Nullable Dashboard dashboard;
    private String prefix = "";

    /**
     * Asks no database yet.
     *
     * @param served what this process runs
     */
    public DashboardServlet(
            Baton baton, DashboardProperties properties, LiveStreams streams, Supplier<List<ServedPart>> served) {
        this.baton = baton;
        this.properties = properties;
        this.viewers = new DashboardViewers(properties);
        this.streams = streams;
        this.served = served;
    }

    @Override
    public void init() {
        prefix = getServletContext().getContextPath() + properties.path();
        dashboard = Dashboard.of(baton)
                .prefix(prefix)
                .payloadsForReaders(properties.payloadsForReaders())
                .served(served)
                .build();
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Dashboard shown = dashboard;
        if (shown == null) {
            send(plain(503, "The dashboard is not there yet."), request, response);
            return;
        }
        Viewer viewer = viewers.of(request);
        if (viewer == null) {
            refuse(request, response);
            return;
        }
        if (request.getPathInfo() == null) {
            send(Answer.seeOther(prefix + "/"), request, response);
            return;
        }
        try {
            answer(shown.answer(freed(request, viewer)), request, response);
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            send(plain(503, "The application ends."), request, response);
        }
    }

    /** Lets the application ask who it is, if it can: by its login page, or by a password. */
    private static void refuse(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (request.getUserPrincipal() != null) {
            send(plain(403, "You are logged in, but have no role that may see the dashboard."), request, response);
        } else if (request.authenticate(response)) {
            send(plain(401, "Log in to the application first."), request, response);
        }
    }

    private static Request freed(HttpServletRequest request, Viewer viewer) {
        return new Request(
                request.getMethod(),
                request.getPathInfo(),
                new TreeMap<>(Request.fields(request.getQueryString())),
                form(request),
                headers(request),
                viewer,
                () -> SpringCsrf.fields(request));
    }

    /** By the parameters, because filters may have read the body already. What stands in body and query, is the body's. */
    private static Map<String, String> form(HttpServletRequest request) {
        String type = request.getContentType();
        if (!request.getMethod().equals("POST")
                || type == null
                || !type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded")) {
            return Map.of();
        }
        Map<String, String> fields = new LinkedHashMap<>();
        request.getParameterMap().forEach((name, values) -> fields.put(name, values[values.length - 1]));
        return fields;
    }

    private static Map<String, String> headers(HttpServletRequest request) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            String lower = name.toLowerCase(Locale.ROOT);
            headers.put(
                    lower,
                    String.join(lower.equals("cookie") ? "; " : ", ", Collections.list(request.getHeaders(name))));
        }
        return headers;
    }

    private void answer(Answer answer, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (answer instanceof Answer.Whole whole) {
            send(whole, request, response);
            return;
        }
        Answer.Events events = (Answer.Events) answer;
        if (!request.isAsyncSupported()) {
            send(
                    plain(503, "Live pages need a web server whose filters all support asynchronous requests."),
                    request,
                    response);
            return;
        }
        if (!streams.isRunning()) {
            send(plain(503, "The application ends."), request, response);
            return;
        }
        begin(events, response);
        OutputStream out = response.getOutputStream();
        AsyncContext context = request.startAsync();
        context.setTimeout(0);
        if (!streams.run(() -> stream(events, out, context))) {
            context.complete(); // it ends just now; the browser asks again
        }
    }

    /** On the container's thread: filters go on using the response while they return, and it is not safe for two threads. */
    private static void begin(Answer.Events events, HttpServletResponse response) throws IOException {
        response.setStatus(200);
        events.headers().forEach(response::setHeader);
        response.setContentType("text/event-stream;charset=utf-8");
        response.setHeader("X-Accel-Buffering", "no"); // proxies would keep events back
        response.flushBuffer();
    }

    private static void stream(Answer.Events events, OutputStream out, AsyncContext context) {
        try {
            events.stream().run((event, data) -> write(out, event, data));
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        } catch (IllegalStateException gone) {
            // The application ends, or the container has ended the request.
        } finally {
            complete(context);
        }
    }

    private static boolean write(OutputStream out, String event, String data) {
        try {
            out.write(("event: " + event + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
            return true;
        } catch (IOException | IllegalStateException gone) {
            return false;
        }
    }

    private static void complete(AsyncContext context) {
        try {
            context.complete();
        } catch (IllegalStateException ended) {
            // The container was quicker.
        }
    }

    private static void send(Answer.Whole answer, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setStatus(answer.status());
        answer.headers().forEach((name, value) -> {
            if (name.equals("Set-Cookie")) {
                response.addHeader(name, value); // the application has cookies of its own
            } else {
                response.setHeader(name, value);
            }
        });
        if (answer.status() == 304) {
            return;
        }
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        response.setContentType(answer.type());
        response.setContentLength(body.length);
        if (!request.getMethod().equals("HEAD")) {
            response.getOutputStream().write(body);
        }
    }

    private static Answer.Whole plain(int status, String sentence) {
        return Answer.text(status, "text/plain", sentence + "\n").with("X-Content-Type-Options", "nosniff");
    }
}
