package org.pgbaton.server.http;

import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.Dashboard;
import org.pgbaton.dashboard.http.Role;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.dashboard.http.Stage;
import org.pgbaton.log.Draft;
import org.pgbaton.testkit.TestDatabase;

/**
 * Something for a dashboard to show: three workers that share two subscriptions, one of them leads; keys that fail, one of them with a name that
 * is HTML; a paused subscription; and a writer. Three viewers: {@code olga} may act, {@code rita} may look, {@code robot} has a token.
 */
public final class DashboardWorld implements AutoCloseable, Stage {
    static final String HOSTILE = "<img src=x onerror=\"document.title='owned'\">";
    static final String TOKEN = "a-token-of-many-characters";

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private final Map<String, Baton> workers = new ConcurrentSkipListMap<>();
    private final Baton baton;
    private final WebServer server;
    private final String prefix;
    private final Thread writer;
    private volatile boolean cured;
    private volatile boolean ended;

    public DashboardWorld(TestDatabase database, String prefix) throws Exception {
        this.prefix = prefix;
        this.baton = database.baton("console");
        for (String who : List.of("alpha", "beta", "gamma")) {
            workers.put(who, start(database.baton(who)));
        }
        Site site = new Site(
                prefix,
                Access.of(
                        List.of(
                                new Access.User("olga", "open sesame", null, Role.OPERATOR),
                                new Access.User("rita", "just looking", null, Role.READER),
                                new Access.User("robot", null, TOKEN, Role.OPERATOR)),
                        new Access.Proxy("X-Forwarded-User", java.util.Set.of(), java.util.Set.of("oscar"))));
        site.mount(Dashboard.of(baton)
                .prefix(prefix)
                .stage(this)
                .served(() -> List.of(
                        new ServedPart(
                                "relay",
                                "trades",
                                "trades",
                                "webhook https://acme.example/hook",
                                "running",
                                true,
                                null,
                                false),
                        new ServedPart(
                                "channel",
                                "alerts-slack",
                                "alerts-slack",
                                "slack",
                                "running",
                                false,
                                "Slack answers 503",
                                true)))
                .build());
        this.server = WebServer.listen("127.0.0.1", 0, site);
        for (String key : List.of("ACC-1042", "ACC-2077", HOSTILE)) {
            for (int i = 0; i < 4; i++) {
                append(
                        key,
                        "{\"poison\": true, \"amount\": " + i
                                + ", \"note\": \"<script>document.title='owned'</script>\"}");
            }
        }
        baton.subscriptions().by("olga").pause("mails", "the mail server is being moved");
        this.writer = new Thread(this::write, "writer");
        writer.setDaemon(true);
        writer.start();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> baton.subscriptions().parked("balances").size() == 3);
    }

    private Baton start(Baton worker) {
        worker.subscription("balances")
                .on("events")
                .workers(2)
                .attempts(1)
                .react((message, epoch) -> {
                    if (message.text().contains("poison") && !cured) {
                        throw new IllegalStateException("account is frozen by order " + message.position());
                    }
                })
                .start();
        worker.subscription("mails")
                .on("events")
                .workers(1)
                .react((message, epoch) -> {})
                .start();
        worker.leadership("settlement").campaign(term -> {});
        return worker;
    }

    private void append(String key, String json) {
        baton.log("events").append(Draft.json(json).key(key).type("Booked"));
    }

    private void write() {
        for (int n = 0; !ended; n++) {
            append("ACC-" + n % 97, "{\"amount\": " + n + "}");
            java.util.concurrent.locks.LockSupport.parkNanos(
                    Duration.ofMillis(15).toNanos());
        }
    }

    String url() {
        return server.url() + prefix;
    }

    /** From now on messages that failed would succeed. */
    void cure() {
        cured = true;
    }

    /** @param form null for GET */
    HttpResponse<String> send(String path, @Nullable String form, String... headers) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(Duration.ofSeconds(15));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        if (form != null) {
            request.header("Content-Type", "application/x-www-form-urlencoded")
                    .POST(HttpRequest.BodyPublishers.ofString(form));
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    static String basic(String name, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    Baton baton() {
        return baton;
    }

    @Override
    public List<Actor> actors() {
        return workers.keySet().stream()
                .map(name -> new Actor(name, ProcessHandle.current().pid(), "working"))
                .toList();
    }

    @Override
    public List<String> news() {
        return List.of("The workers of a test.");
    }

    @Override
    public boolean isGremlinLoose() {
        return false;
    }

    @Override
    public void gremlin(boolean loose) {
        cure();
    }

    @Override
    public String act(String worker, Deed deed) {
        Baton gone = workers.remove(worker);
        if (gone != null) {
            gone.close();
        }
        return worker + " has gone.";
    }

    @Override
    public void close() {
        ended = true;
        try {
            writer.join();
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        server.close();
        List<Baton> all = new ArrayList<>(workers.values());
        all.forEach(Baton::close);
        baton.close();
    }
}
