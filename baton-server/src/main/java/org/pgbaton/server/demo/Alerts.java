package org.pgbaton.server.demo;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Receives alerts in the process of the demo: {@code ops} is a webhook; {@code slack} takes requests, but does not answer until everything else is
 * over. The alerts of a portfolio are numbered, so that gaps and disorder are found. Thread-safe.
 */
final class Alerts implements AutoCloseable {
    /** A trade of more than this, bought or sold, makes an alert. */
    static final int LIMIT = 900;

    static final String LOG = "alerts";

    private static final String FILE = """
            captures:
              - name: %s
                tables: [public.alert]
                operations: [insert]
                key: [portfolio]
                channels: [ops, slack]
            channels:
              - name: ops
                webhook: {url: "%s", allow-private: true}
                workers: 2
              - name: slack
                slack: {url: "%s", allow-private: true, timeout: 2s}
                template: "{{row.portfolio}} {{row.number}}"
                backoff: {longest: 1s}
                workers: 2
            """;

    private final ObjectMapper json = new ObjectMapper();
    private final Arrivals ops = new Arrivals("alerts for 'ops'");
    private final Arrivals slack = new Arrivals("alerts for 'slack'");
    private final Queue<Double> delays = new ConcurrentLinkedQueue<>();
    private final Queue<HttpExchange> hung = new ConcurrentLinkedQueue<>();
    private final LocalHttpServer endpoint = new LocalHttpServer();
    private volatile boolean hanging = true;
    private double recovery;

    Alerts() throws IOException {}

    /** The options by which a worker captures alerts and sends them. */
    List<String> workerOptions(Path folder) throws IOException {
        Path file = folder.resolve("baton.yaml");
        Files.writeString(
                file, FILE.formatted(LOG, endpoint.handle("/ops", this::ops), endpoint.handle("/slack", this::slack)));
        return List.of("--channels", file.toString());
    }

    private void ops(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode change = json.readTree(exchange.getRequestBody().readAllBytes());
            boolean isNew = ops.accept(
                    change.at("/after/portfolio").asString(),
                    change.at("/after/number").asLong());
            if (isNew) {
                Instant committed = Instant.parse(change.path("committedAt").asString());
                delays.add(Duration.between(committed, Instant.now()).toNanos() / 1e6);
            }
            exchange.sendResponseHeaders(204, -1);
        }
    }

    /** A hanging request needs no thread: its exchange stays open. */
    private void slack(HttpExchange exchange) throws IOException {
        if (hanging) {
            hung.add(exchange);
            return;
        }
        try (exchange) {
            JsonNode notice = json.readTree(exchange.getRequestBody().readAllBytes());
            String[] words = notice.path("text").asString().split(" ");
            slack.accept(words[0], Long.parseLong(words[1]));
            exchange.sendResponseHeaders(200, -1);
        }
    }

    /** How many alerts 'ops' has received. */
    long told() {
        return ops.first();
    }

    /**
     * After the last trade: waits until 'ops' has all alerts, then lets 'slack' answer, and waits for that.
     *
     * @return violations, in words
     */
    List<String> settle(long expected) throws SQLException, InterruptedException {
        List<String> violations = new ArrayList<>();
        try {
            Trades.await("not every alert reached 'ops'", () -> ops.first() >= expected);
            long begin = System.nanoTime();
            hanging = false;
            hung.forEach(HttpExchange::close);
            Trades.await("not every alert reached 'slack'", () -> slack.first() >= expected);
            recovery = (System.nanoTime() - begin) / 1e9;
        } catch (TimeoutException late) {
            violations.add(String.valueOf(late.getMessage()));
        }
        violations.addAll(ops.violations(expected, false));
        violations.addAll(slack.violations(expected, false));
        return violations;
    }

    /** The results, for people. */
    List<String> lines() {
        return List.of(
                String.format(
                        Locale.ROOT,
                        "%,d alerts, of trades over %d, read from the WAL by one worker at a time. 'ops' was told of a commit "
                                + "after %.1f ms (median), %.1f ms (worst); %,d came once more.",
                        ops.first(),
                        LIMIT,
                        median(),
                        worst(),
                        ops.again()),
                String.format(
                        Locale.ROOT,
                        "'slack' hung all the while, and delayed nobody; when it answered again it got all %,d within %.1f s, in order.",
                        slack.first(),
                        recovery));
    }

    private double median() {
        return delays.stream().sorted().skip(delays.size() / 2).findFirst().orElse(0.0);
    }

    private double worst() {
        return delays.stream().max(Double::compare).orElse(0.0);
    }

    @Override
    public void close() {
        endpoint.close();
    }
}
