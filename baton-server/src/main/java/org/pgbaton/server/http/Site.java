package org.pgbaton.server.http;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import java.util.Objects;
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
    /** The dashboards of several databases are below this path. */
    public static final String DATABASES = "/databases/";

    private static final String LEADER = "/leader/";

    private final String prefix;
    private final Access access;
    private final Map<String, Supplier<Answer.Whole>> open = new ConcurrentSkipListMap<>();
    private volatile @Nullable Function<String, Answer.Whole> leader;
    private final Map<String, Dashboard> dashboards = new ConcurrentSkipListMap<>();
    private volatile @Nullable Supplier<Map<String, String>> databases;
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

    /** The only dashboard. */
    public void mount(Dashboard shown) {
        mount("", shown);
    }

    /** @param path below the prefix: empty, or that of one of several databases */
    public void mount(String path, Dashboard shown) {
        dashboards.put(path, shown);
    }

    /**
     * There are several databases, each with a dashboard below {@link #DATABASES}. The root lists them.
     *
     * @param all their names, and how each is
     */
    public void list(Supplier<Map<String, String>> all) {
        databases = all;
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
        String below = incoming.path.substring(prefix.length());
        Supplier<Map<String, String>> several = databases;
        boolean isList = several != null && below.equals("/") && !dashboards.isEmpty();
        String mounted = several == null ? "" : databasePath(below);
        Dashboard shown = dashboards.get(mounted);
        if (shown == null && !isList) {
            return several != null && !several.get().containsKey(nameIn(mounted)) && !dashboards.isEmpty()
                    ? plain(404, "There is no such database: " + prefix + "/ lists them.")
                    : plain(503, whyNoDashboard);
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
        if (shown == null) {
            return DatabaseList.page(
                    prefix + DATABASES, Objects.requireNonNull(several).get());
        }
        if (below.equals(mounted)) {
            return Answer.seeOther(prefix + mounted + "/");
        }
        Map<String, String> form;
        try {
            form = incoming.form.read();
        } catch (IOException late) {
            return plain(408, "The form did not come in time.");
        }
        return shown.answer(new Request(
                incoming.method,
                below.substring(mounted.length()),
                new TreeMap<>(Request.fields(incoming.query)),
                form,
                incoming.headers,
                viewer));
    }

    /** The beginning of a path, up to the name of a database: /databases/orders-1. */
    private static String databasePath(String below) {
        if (!below.startsWith(DATABASES)) {
            return below;
        }
        int end = below.indexOf('/', DATABASES.length());
        return end < 0 ? below : below.substring(0, end);
    }

    private static String nameIn(String databasePath) {
        return databasePath.startsWith(DATABASES) ? databasePath.substring(DATABASES.length()) : "";
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
