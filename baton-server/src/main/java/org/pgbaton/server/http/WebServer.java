package org.pgbaton.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.pgbaton.dashboard.http.Answer;

/**
 * Serves a site with Jetty, by few threads; one more for each viewer of a live page, which waits most of its time. Limits the size and the time
 * of requests, so that clients cannot hold up the process. Closing ends everything at once. Thread-safe.
 */
public final class WebServer implements AutoCloseable {
    private static final int THREADS = 16;
    private static final int LARGEST_FORM = 64 * 1024;
    private static final int LARGEST_HEADERS = 16 * 1024;
    private static final long IDLE_MILLIS = 30_000;
    private static final long FORM_SECONDS = 5;

    private final Server server;
    private final ServerConnector connector;
    private final ExecutorService viewers;

    private WebServer(Server server, ServerConnector connector, ExecutorService viewers) {
        this.server = server;
        this.connector = connector;
        this.viewers = viewers;
    }

    /**
     * @param port 0 for any that is free
     * @throws ListenException if the address is unknown or in use
     */
    public static WebServer listen(String address, int port, Site site) {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, 2);
        threads.setName("baton-http");
        threads.setDaemon(true);
        AtomicInteger count = new AtomicInteger();
        ExecutorService viewers = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "baton-viewer-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        HttpConfiguration limits = new HttpConfiguration();
        limits.setSendServerVersion(false);
        limits.setSendDateHeader(true);
        limits.setRequestHeaderSize(LARGEST_HEADERS);
        Server server = new Server(threads);
        server.setStopTimeout(0);
        ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(limits));
        connector.setHost(known(address));
        connector.setPort(port);
        connector.setIdleTimeout(IDLE_MILLIS);
        server.addConnector(connector);
        server.setHandler(new SiteHandler(site, viewers));
        try {
            server.start();
        } catch (Exception taken) {
            viewers.shutdownNow();
            stop(server);
            Throwable cause = taken.getCause() == null ? taken : taken.getCause();
            throw new ListenException("Cannot listen on " + address + ":" + port + ": " + cause.getMessage()
                    + ". Choose another port with --http-port, or 0 for none.");
        }
        return new WebServer(server, connector, viewers);
    }

    private static String known(String address) {
        try {
            return InetAddress.getByName(address).getHostAddress();
        } catch (UnknownHostException unknown) {
            throw new ListenException("The HTTP address '" + address
                    + "' is unknown here: give 127.0.0.1, 0.0.0.0 or an address of this machine.");
        }
    }

    public int port() {
        return connector.getLocalPort();
    }

    /** The address to type into a browser: {@code http://127.0.0.1:8080}. */
    public String url() {
        String host = connector.getHost();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
    }

    @Override
    public void close() {
        viewers.shutdownNow();
        stop(server);
    }

    private static void stop(Server server) {
        try {
            server.stop();
        } catch (Exception ending) {
            // It ends with the process.
        }
    }

    private static final class SiteHandler extends Handler.Abstract {
        private final Site site;
        private final ExecutorService viewers;

        SiteHandler(Site site, ExecutorService viewers) {
            this.site = site;
            this.viewers = viewers;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            Map<String, String> headers = headers(request);
            if (request.getLength() > LARGEST_FORM) {
                send(request, response, callback, Answer.text(413, "text/plain", "The request is too large.\n"));
                return true;
            }
            Site.Incoming incoming = new Site.Incoming(
                    request.getMethod(),
                    Request.getPathInContext(request) == null ? "/" : decodedPath(request),
                    request.getHttpURI().getQuery(),
                    headers,
                    from(request),
                    () -> form(request, headers));
            Answer answer = site.answer(incoming);
            if (answer instanceof Answer.Events events) {
                viewers.execute(() -> stream(response, callback, events));
            } else {
                send(request, response, callback, (Answer.Whole) answer);
            }
            return true;
        }

        private static String decodedPath(Request request) {
            String path = request.getHttpURI().getDecodedPath();
            return path == null || path.isEmpty() ? "/" : path;
        }

        private static Map<String, String> headers(Request request) {
            Map<String, String> headers = new HashMap<>();
            for (HttpField field : request.getHeaders()) {
                if (field.getValue() != null) {
                    headers.merge(
                            field.getName().toLowerCase(Locale.ROOT),
                            field.getValue(),
                            (one, more) -> one + (field.getHeader() == HttpHeader.COOKIE ? "; " : ", ") + more);
                }
            }
            return headers;
        }

        private static InetAddress from(Request request) {
            SocketAddress remote = request.getConnectionMetaData().getRemoteSocketAddress();
            return remote instanceof InetSocketAddress address
                    ? address.getAddress()
                    : InetAddress.getLoopbackAddress();
        }

        private static Map<String, String> form(Request request, Map<String, String> headers)
                throws IOException, InterruptedException {
            String type = headers.getOrDefault("content-type", "");
            if (!request.getMethod().equals("POST") || !type.startsWith("application/x-www-form-urlencoded")) {
                return Map.of();
            }
            if (request.getLength() < 0) {
                return Map.of(); // without a length it could go on for ever
            }
            Promise.Completable<String> body = new Promise.Completable<>();
            Content.Source.asString(request, StandardCharsets.UTF_8, body);
            try {
                return org.pgbaton.dashboard.http.Request.fields(body.get(FORM_SECONDS, TimeUnit.SECONDS));
            } catch (ExecutionException broken) {
                throw new IOException("the form is broken", broken);
            } catch (TimeoutException late) {
                request.fail(late); // who sends a byte now and then would hold this thread
                throw new IOException("the form is late", late);
            }
        }

        private static void send(Request request, Response response, Callback callback, Answer.Whole answer) {
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            response.setStatus(answer.status());
            answer.headers().forEach((name, value) -> response.getHeaders().put(name, value));
            boolean isEmpty = answer.status() == 304;
            if (!isEmpty) {
                response.getHeaders().put(HttpHeader.CONTENT_TYPE, answer.type());
                response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
            }
            boolean withBody = !isEmpty && !request.getMethod().equals("HEAD");
            response.write(true, withBody ? ByteBuffer.wrap(body) : null, callback);
        }

        private static void stream(Response response, Callback callback, Answer.Events events) {
            response.setStatus(200);
            events.headers().forEach((name, value) -> response.getHeaders().put(name, value));
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream; charset=utf-8");
            response.getHeaders().put("X-Accel-Buffering", "no"); // proxies would keep events back
            OutputStream out = Content.Sink.asOutputStream(response);
            try {
                events.stream().run((event, data) -> write(out, event, data));
                out.close();
                callback.succeeded();
            } catch (InterruptedException ending) {
                Thread.currentThread().interrupt();
                callback.failed(ending);
            } catch (IOException | RuntimeException broken) {
                callback.failed(broken);
            }
        }

        private static boolean write(OutputStream out, String event, String data) {
            try {
                out.write(("event: " + event + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
                return true;
            } catch (IOException gone) {
                return false;
            }
        }
    }
}
