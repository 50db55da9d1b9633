package org.pgbaton.server.http;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.Dashboard;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.Request;
import org.pgbaton.dashboard.http.Viewer;

/**
 * What a port answers: open pages, which machines ask for and nobody has to log in for; and the dashboard below its prefix, for those who may see
 * it. Pages can be added while it runs, so that it answers from the first moment. Thread-safe.
 */
public final class Site {
    private static final String LEADER = "/leader/";

    private final String prefix;
    private final Access access;
    private final Map<String, Supplier<Answer.Whole>> open = new ConcurrentSkipListMap<>();
    private volatile @Nullable Function<String, Answer.Whole> leader;
    private volatile @Nullable Dashboard dashboard;
    private volatile String whyNoDashboard = "The dashboard comes when the database answers; health is at /readyz.";

    /** @param prefix empty, or a path such as /ops/baton */
    public Site(String prefix, Access access) {
        this.prefix = prefix;
        this.access = access;
    }

    /** A page that everybody may read. */
    public void open(String path, Supplier<Answer.Whole> page) {
        open.put(path, page);
    }

    /** Answers {@code /leader/NAME}. */
    public void leader(Function<String, Answer.Whole> page) {
        leader = page;
    }

    public void mount(Dashboard shown) {
        dashboard = shown;
    }

    /** There will be no dashboard. */
    public void withoutDashboard(String why) {
        whyNoDashboard = why;
    }

    /** The fields of a request's body, which may still be on its way. */
    @FunctionalInterface
    interface Form {
        /** Waits for them some seconds at most. */
        Map<String, String> read() throws IOException, InterruptedException;
    }

    /** A request as it came. Its body is read only for those who may get in. */
    record Incoming(
            String method,
            String path,
            @Nullable String query,
            Map<String, String> headers,
            InetAddress from,
            Form form) {}

    Answer answer(Incoming incoming) throws InterruptedException {
        Answer.Whole forMachines = openPage(incoming);
        if (forMachines != null) {
            return forMachines;
        }
        if (!prefix.isEmpty() && incoming.path.equals("/")) {
            return Answer.seeOther(prefix + "/");
        }
        if (incoming.path.equals(prefix) && !prefix.isEmpty()) {
            return Answer.seeOther(prefix + "/");
        }
        if (!incoming.path.startsWith(prefix + "/")) {
            return plain(
                    404, "There are " + String.join(", ", open.keySet()) + " and the dashboard at " + prefix + "/.");
        }
        return people(incoming);
    }

    /** Open pages are at the root, whatever the prefix, and below it. Null if it is none. */
    private Answer.@Nullable Whole openPage(Incoming incoming) {
        String path = !prefix.isEmpty() && incoming.path.startsWith(prefix + "/")
                ? incoming.path.substring(prefix.length())
                : incoming.path;
        Supplier<Answer.Whole> page = open.get(path);
        Function<String, Answer.Whole> leaders = leader;
        if (page == null && leaders != null && path.startsWith(LEADER) && path.length() > LEADER.length()) {
            page = () -> leaders.apply(path.substring(LEADER.length()));
        }
        if (page == null) {
            return null;
        }
        boolean reads = incoming.method.equals("GET") || incoming.method.equals("HEAD");
        return (reads ? page.get() : plain(405, "Only GET.").with("Allow", "GET, HEAD"))
                .with("Cache-Control", "no-store")
                .with("X-Content-Type-Options", "nosniff");
    }

    private Answer people(Incoming incoming) throws InterruptedException {
        Dashboard shown = dashboard;
        if (shown == null) {
            return plain(503, whyNoDashboard);
        }
        if (access.isAnonymous() && !isOurs(incoming.headers.getOrDefault("host", ""))) {
            return plain(
                    403,
                    "Open the dashboard as http://localhost or http://127.0.0.1: under another name it would need people to log in.");
        }
        Viewer viewer = access.viewer(incoming.headers, incoming.from);
        if (viewer == null) {
            Answer.Whole refusal =
                    plain(401, "Log in first: with a name and a password, a token, or through the proxy.");
            return access.hasPasswords()
                    ? refusal.with("WWW-Authenticate", "Basic realm=\"Baton\", charset=\"UTF-8\"")
                    : refusal;
        }
        Map<String, String> form;
        try {
            form = incoming.form.read();
        } catch (IOException late) {
            return plain(408, "The form did not come in time.");
        }
        return shown.answer(new Request(
                incoming.method,
                incoming.path.substring(prefix.length()),
                new TreeMap<>(Request.fields(incoming.query)),
                form,
                incoming.headers,
                viewer));
    }

    /** A page of another site whose name points to this machine must not get in. */
    private static boolean isOurs(String host) {
        String name = host.replaceFirst(":[0-9]+$", "");
        return name.equals("localhost") || name.equals("[::1]") || name.matches("127(\\.[0-9]{1,3}){3}");
    }

    private static Answer.Whole plain(int status, String sentence) {
        return Answer.text(status, "text/plain", sentence + "\n").with("X-Content-Type-Options", "nosniff");
    }
}
