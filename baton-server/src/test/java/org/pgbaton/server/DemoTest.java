package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton demo} ends with a verdict and leaves nothing behind, whenever and however it ends. */
class DemoTest {
    /** Below the time for which a Ctrl-C would wait for a demo that does not end. */
    private static final Duration AFTER_THE_VERDICT = Duration.ofSeconds(15);

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    @Test
    void soManyRoundsAndAVerdict() {
        try (Cli demo = demo("--rounds", "2").start()) {
            demo.awaitLine("round   1");
            List<ProcessHandle> workers = workersOf(demo);

            demo.awaitLine("OK: ");
            Cli.Ended ended = demo.awaitEnd(AFTER_THE_VERDICT).succeeds();
            assertThat(ended.out().lines().filter(line -> line.startsWith("round ")))
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line)
                            .containsPattern(
                                    "; \\d+ lanes? went on after +[\\d.]+ ms; [\\d,]+ published, [\\d,]+ alerts$"));
            assertTradesWereHandledAndAlertsTold(ended);
            assertThat(lastLine(ended))
                    .startsWith("OK: 2 leaders killed, takeover median ")
                    .endsWith("never two leaders.");
            assertThat(ended.err()).isEmpty();
            assertNothingIsLeft(workers);
        }
    }

    @Test
    void ctrlCEndsItWithAVerdict() {
        try (Cli demo = demo("--rounds", "0").through("setsid").start()) {
            demo.awaitLine("round   1");
            List<ProcessHandle> workers = workersOf(demo);
            demo.signalGroup("INT");

            demo.awaitLine("OK: ");
            Cli.Ended ended = demo.awaitEnd(AFTER_THE_VERDICT);
            assertThat(ended.code()).isEqualTo(130);
            assertThat(lastLine(ended)).startsWith("OK: ").endsWith("never two leaders.");
            assertTradesWereHandledAndAlertsTold(ended);
            assertThat(ended.err()).isEmpty();
            assertNothingIsLeft(workers);
        }
    }

    @Test
    void ctrlCWhileItStartsLeavesNothingEither() {
        try (Cli demo = demo().through("setsid").start()) {
            demo.awaitLine("Starting PostgreSQL");
            demo.signalGroup("INT");

            Cli.Ended ended = demo.awaitEnd();
            assertThat(ended.code()).isEqualTo(130);
            assertThat(lastLine(ended)).isEqualTo("No verdict: no leader was killed.");
            assertThat(ended.err()).isEmpty();
            assertNothingIsLeft(List.of());
        }
    }

    /**
     * The buttons of the page. A worker that is cut off loses all its lanes to others: when it has some again, they are of a later epoch. A frozen
     * one stands still. Both go on, and nothing is lost.
     */
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void aWorkerCanBeCutOffAndFrozenFromThePage() throws Exception {
        try (Cli demo = demo("--no-gremlin").through("setsid").start()) {
            String page = demo.awaitLine("Dashboard: ").substring("Dashboard: ".length());
            demo.awaitLine("worker-");
            await().atMost(Cli.PATIENCE)
                    .until(() -> !epochsOf(page, "worker-3").isEmpty()
                            && !epochsOf(page, "worker-2").isEmpty());

            long before = Collections.max(epochsOf(page, ""));
            assertThat(press(page, "worker-3", "cut")).isEqualTo("Cut off: worker-3");
            demo.awaitLine("worker-3 is cut off from the database for 8 s.");
            demo.awaitLine("worker-3 reaches the database again.");
            await().atMost(Cli.PATIENCE).until(() -> {
                List<Long> epochs = epochsOf(page, "worker-3");
                return !epochs.isEmpty() && Collections.min(epochs) > before;
            });

            long frozen = workersOf(demo).stream()
                    .map(ProcessHandle::pid)
                    .filter(pid -> commandOf(pid).contains("worker-2"))
                    .findFirst()
                    .orElseThrow();
            assertThat(press(page, "worker-2", "freeze")).isEqualTo("Frozen: worker-2");
            assertThat(stateOf(frozen)).as("the state of its process").isEqualTo("T");
            assertThat(press(page, "worker-2", "freeze")).isEqualTo("worker-2 is frozen already.");
            assertThat(press(page, "worker-1", "kill")).contains("kill when all is calm again");
            demo.awaitLine("worker-2 goes on.");
            assertThat(stateOf(frozen)).isNotEqualTo("T");

            demo.signalGroup("INT");
            Cli.Ended ended = demo.awaitEnd();
            assertThat(ended.out()).contains("Every balance is right");
            assertThat(lastLine(ended)).isEqualTo("No verdict: no leader was killed.");
        }
    }

    private static String press(String page, String worker, String deed) throws Exception {
        return CLIENT.send(
                        HttpRequest.newBuilder(URI.create(page + "stage?worker=" + worker + "&deed=" + deed))
                                .header("X-Baton-Csrf", "1")
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static String get(String address) throws Exception {
        return CLIENT.send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Of the lanes that the worker owns; of all lanes if it has no name. */
    private static List<Long> epochsOf(String page, String worker) throws Exception {
        return JsonMapper.shared()
                .readTree(get(page + "api/v1/lanes"))
                .get("lanes")
                .valueStream()
                .filter(lane ->
                        worker.isEmpty() || lane.get("owner").asString("").equals(worker))
                .map(lane -> lane.get("epoch").asLong())
                .toList();
    }

    private static List<String> commandOf(long pid) {
        try {
            return List.of(
                    Files.readString(Path.of("/proc/" + pid + "/cmdline")).split("\0"));
        } catch (IOException gone) {
            return List.of();
        }
    }

    /** As Linux names it: R, S, T. */
    private static String stateOf(long pid) throws Exception {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).substring(0, 1);
    }

    private static void assertTradesWereHandledAndAlertsTold(Cli.Ended ended) {
        assertThat(ended.out())
                .containsPattern("\n([\\d,]{2,}) trades of [\\d,]{2,} portfolios appended, \\1 handled: ")
                .containsPattern("\n([\\d,]{2,}) trades published to a webhook; [\\d,]+ of them came once more")
                .contains("\nEvery balance is right; every trade was handled once and published in the order of its "
                        + "portfolio.\n")
                // Each of them, in both channels and in the verdict.
                .containsPattern(
                        "\n([\\d,]+) alerts, of trades over 900, read from the WAL by one worker at a time[^\n]+\n"
                                + "'slack' hung all the while, and delayed nobody; when it answered again it got all \\1 within "
                                + "[^\n]+\nOK: [^\n]+; \\1 alerts; ");
    }

    private Cli.Run demo(String... options) {
        String[] arguments = new String[options.length + 1];
        arguments[0] = "demo";
        System.arraycopy(options, 0, arguments, 1, options.length);
        return Cli.baton(arguments).withJavaOption("-Djava.io.tmpdir=" + folder);
    }

    private static List<ProcessHandle> workersOf(Cli demo) {
        List<ProcessHandle> workers =
                ProcessHandle.of(demo.pid()).orElseThrow().children().toList();
        assertThat(workers).isNotEmpty();
        return workers;
    }

    private static String lastLine(Cli.Ended ended) {
        return ended.out().lines().reduce("", (before, line) -> line);
    }

    private void assertNothingIsLeft(List<ProcessHandle> workers) {
        assertThat(workers).noneMatch(worker -> Processes.isRunning(worker.pid()));
        assertThat(Processes.mentioning(folder.toString())).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }
}
