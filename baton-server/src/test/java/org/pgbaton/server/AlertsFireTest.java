package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What deploy/ says about metrics fits those that {@code serve} really has: every name is there, and a real Prometheus with the rules
 * raises the alert of each fault that is provoked. Only the times of the rules are shorter.
 */
@BatonTest
class AlertsFireTest {
    private static final Path RULES = Path.of("../deploy/prometheus/alerts.yaml");
    private static final Path DASHBOARD = Path.of("../deploy/grafana/baton.json");
    private static final Pattern NAME = Pattern.compile("\\b(?:baton|jvm|process)_[a-z_]+[a-z]\\b");

    @TempDir
    private Path folder;

    @Test
    void everyMetricOfRulesAndDashboardIsThere(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        Path file = Files.writeString(folder.resolve("baton.yaml"), """
                relays:
                  - name: trades
                    target:
                      stdout: {}
                captures:
                  - name: alerts
                    tables: [alert]
                """);
        try (Served served = Served.startUntil("Capture 'alerts' is running.", database.url(), file)) {
            Set<String> there = names(served.get("/metrics").body());

            Set<String> wanted = names(Files.readString(RULES));
            wanted.addAll(names(Files.readString(DASHBOARD)));
            assertThat(wanted).hasSizeGreaterThan(20);
            assertThat(there).containsAll(wanted);
        }
    }

    private static Set<String> names(String text) {
        Set<String> names = new TreeSet<>();
        Matcher name = NAME.matcher(text);
        while (name.find()) {
            names.add(name.group());
        }
        return names;
    }

    @Test
    void aProvokedFaultRaisesItsAlert(TestDatabase database) throws Exception {
        assumeThat(Stream.of(System.getenv("PATH").split(":")).map(path -> Path.of(path, "prometheus")))
                .as("Prometheus is not installed (apt-get install prometheus)")
                .anyMatch(Files::isExecutable);
        try (Receiver receiver = Receiver.start();
                Baton operator = database.baton("operator")) {
            receiver.answer(received -> 422);
            Path file = Files.writeString(folder.resolve("baton.yaml"), """
                    relays:
                      - name: away
                        target:
                          webhook: {url: "http://127.0.0.1:1/hook", allow-private: true}
                      - name: refused
                        target:
                          webhook: {url: "%s", allow-private: true}
                    """.formatted(receiver.url("/hook")));
            try (Served served = Served.start(database.url(), file);
                    Prometheus prometheus = Prometheus.scraping(served.port(), folder)) {
                await().atMost(Cli.PATIENCE).until(() -> prometheus.isScraping());
                await().atMost(Cli.PATIENCE).until(() -> prometheus.firing().isEmpty());

                Served.send(database, 1, 1);
                prometheus.awaitAlert("BatonSubscriptionTrouble");
                prometheus.awaitAlert("BatonSubscriptionLagging");
                prometheus.awaitAlert("BatonKeysParked");

                operator.subscriptions().pause("refused", "test");
                prometheus.awaitAlert("BatonSubscriptionNotRunning");

                served.cli().signal("KILL");
                prometheus.awaitAlert("BatonUnreachable");
                prometheus.awaitAlert("BatonGone");
            }
        }
    }

    /** A real one, which looks every three seconds. */
    private record Prometheus(Process process, int port) implements AutoCloseable {
        private static final HttpClient CLIENT = HttpClient.newHttpClient();

        static Prometheus scraping(int served, Path folder) throws IOException {
            Files.writeString(
                    folder.resolve("alerts.yaml"),
                    Files.readString(RULES)
                            .replaceAll("(?m)^        for: .*$", "        for: 1s")
                            .replace("lag_seconds) > 300", "lag_seconds) > 1"));
            Path config = Files.writeString(folder.resolve("prometheus.yml"), """
                    global: {scrape_interval: 3s, scrape_timeout: 3s, evaluation_interval: 1s}
                    rule_files: [alerts.yaml]
                    scrape_configs:
                      - job_name: baton
                        static_configs: [{targets: ["127.0.0.1:%d"]}]
                    """.formatted(served));
            int port = Served.freePort();
            return new Prometheus(
                    new ProcessBuilder(
                                    "prometheus",
                                    "--config.file=" + config,
                                    "--storage.tsdb.path=" + folder.resolve("tsdb"),
                                    "--web.listen-address=127.0.0.1:" + port)
                            .redirectErrorStream(true)
                            .redirectOutput(folder.resolve("prometheus.log").toFile())
                            .start(),
                    port);
        }

        boolean isScraping() {
            try {
                return get("targets")
                        .at("/data/activeTargets/0/health")
                        .asString("")
                        .equals("up");
            } catch (IOException notYet) {
                return false;
            }
        }

        Set<String> firing() throws IOException {
            Set<String> names = new TreeSet<>();
            for (JsonNode alert : get("alerts").at("/data/alerts")) {
                if (alert.at("/state").asString("").equals("firing")) {
                    names.add(alert.at("/labels/alertname").asString(""));
                }
            }
            return names;
        }

        void awaitAlert(String name) {
            await(name)
                    .atMost(Cli.PATIENCE)
                    .pollInterval(Duration.ofMillis(250))
                    .until(() -> firing().contains(name));
        }

        private JsonNode get(String what) throws IOException {
            try {
                return JsonMapper.shared()
                        .readTree(CLIENT.send(
                                        HttpRequest.newBuilder(
                                                        URI.create("http://127.0.0.1:" + port + "/api/v1/" + what))
                                                .timeout(Duration.ofSeconds(10))
                                                .build(),
                                        HttpResponse.BodyHandlers.ofString())
                                .body());
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new IOException(stopped);
            }
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }
}
