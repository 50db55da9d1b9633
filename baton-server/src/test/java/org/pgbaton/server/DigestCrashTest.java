package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** {@code kill -9} when a digest has arrived, and before its sender knows: nothing is missing in the end. */
@BatonTest
@Timeout(120)
class DigestCrashTest {
    @TempDir
    private Path folder;

    @Test
    void whatWasSentAndNotConfirmedIsSentAgain(TestDatabase database) throws Exception {
        AtomicLong victim = new AtomicLong();
        AtomicInteger kills = new AtomicInteger();
        try (Baton baton = database.baton();
                Alerts alerts = Alerts.on(baton);
                Receiver receiver = Receiver.start()) {
            receiver.answer(received -> {
                long pid = victim.getAndSet(0);
                if (pid != 0) {
                    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
                    kills.incrementAndGet();
                }
                return 204;
            });
            Path file = Files.writeString(
                    folder.resolve("baton.yaml"),
                    "channels: [{name: ops, source: alerts, digest: 1s, webhook: {url: '" + receiver.url("/ops")
                            + "', allow-private: true}}]");
            try (Served first = Served.start(database.url(), file)) {
                victim.set(first.cli().pid());
                insert(alerts, 0, 40);
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> kills.get() == 1 && !first.cli().isAlive());
            }
            insert(alerts, 40, 60);
            try (Served second = Served.start(database.url(), file)) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> seen(receiver).size() == 60
                                && database.one("SELECT count(*) FROM baton.parked")
                                        .equals("0"));
                // What arrived in the moment of the kill came again.
                assertThat(receiver.all().stream()
                                .mapToInt(each -> Alerts.numbers(each, "n").size())
                                .sum())
                        .isGreaterThan(60);
                assertThat(second.cli().isAlive()).isTrue();
            }
            assertThat(seen(receiver))
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 60).boxed().toList());
            for (Receiver.Received each : receiver.all()) {
                List<Integer> numbers = Alerts.numbers(each, "n");
                assertThat(numbers).as("in order").isSorted();
            }
        }
    }

    private static void insert(Alerts alerts, int from, int to) {
        for (int n = from; n < to; n++) {
            alerts.insert("P" + n % 4, "{\"n\": " + n + "}");
        }
    }

    private static Set<Integer> seen(Receiver receiver) {
        Set<Integer> seen = new HashSet<>();
        receiver.all().forEach(each -> seen.addAll(Alerts.numbers(each, "n")));
        return seen;
    }
}
