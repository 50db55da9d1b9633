package org.pgbaton.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A {@code baton serve} that runs, with its pages. */
final class Served implements AutoCloseable {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private final Cli cli;
    private final int port;

    private Served(Cli cli, int port) {
        this.cli = cli;
        this.port = port;
    }

    /** Returns when a relay runs. */
    static Served start(String databaseUrl, Path file, String... options) throws IOException {
        return startUntil("is running.", databaseUrl, file, options);
    }

    /**
     * @param line what it says when it has come as far as it can
     * @param databaseUrl null if the file says
     */
    static Served startUntil(String line, @Nullable String databaseUrl, Path file, String... options)
            throws IOException {
        int port = freePort();
        List<String> arguments =
                new ArrayList<>(List.of("serve", "-c", file.toString(), "--http-port", Integer.toString(port)));
        arguments.addAll(List.of(options));
        Cli.Run run = Cli.baton(arguments.toArray(String[]::new));
        Served served = new Served((databaseUrl == null ? run : run.on(databaseUrl)).start(), port);
        try {
            served.cli.awaitError(line);
            return served;
        } catch (AssertionError | RuntimeException failed) {
            served.close();
            throw failed;
        }
    }

    /** Nobody had it a moment ago. */
    static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    /** A relay {@code trades} from the outbox to that webhook, in a file of its own. */
    static Path relayTo(String url, Path folder, String... more) throws IOException {
        return Files.writeString(folder.resolve("baton.yaml"), """
                relays:
                  - name: trades
                    log: outbox
                %2$s    target:
                      webhook:
                        url: %1$s
                        allow-private: true        # loopback and private addresses, and plain http to them, are refused without it
                """.formatted(
                        url, String.join("\n", more).indent(4)));
    }

    /** So many messages of each of so many keys, one after the other; all of them committed together. */
    static void send(TestDatabase database, int keys, int each) throws Exception {
        try (Connection connection = database.connect();
                PreparedStatement insert = connection.prepareStatement("""
                        INSERT INTO baton.outbox (topic, key, payload)
                        SELECT 'trades', 'P' || k, json_build_object('n', n)
                          FROM generate_series(1, ?) n, generate_series(1, ?) k ORDER BY n, k""")) {
            insert.setInt(1, each);
            insert.setInt(2, keys);
            insert.executeUpdate();
        }
    }

    Cli cli() {
        return cli;
    }

    int port() {
        return port;
    }

    HttpResponse<String> get(String path) throws Exception {
        return send("GET", path);
    }

    HttpResponse<String> send(String method, String path) throws Exception {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(Duration.ofSeconds(10))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    JsonNode readiness() throws Exception {
        return JsonMapper.shared().readTree(get("/readyz").body());
    }

    int lanes() throws Exception {
        return readiness().get("relays").get(0).get("lanes").asInt();
    }

    /** The value of a meter of the relay {@code trades}. */
    double meter(String name) throws Exception {
        return get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + "{") && line.contains("\"trades\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void close() {
        cli.close();
    }
}
