package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/**
 * A process's clock jumps by an hour, forwards and back: leases are measured by a clock that does not jump, and rows are stamped by the database. The
 * process sees a false time through libfaketime; without it the test is skipped.
 */
@BatonTest
class AClockThatJumpsTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String OWNERS =
            "SELECT string_agg(owner || ' ' || epoch, ', ' ORDER BY checkpoint) FROM baton.lane_status WHERE name = 'by-key'";

    @TempDir
    private Path folder;

    /** Prints the time. */
    static final class Clock {
        public static void main(String[] arguments) throws IOException {
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                System.out.println("NOW " + Instant.now());
            }
        }
    }

    @Test
    void takesNoLaneFromAnybodyAndHoldsUpNothing(TestDatabase database) throws Exception {
        Handled.createTable(database);
        jump("+0");
        try (JavaProcess clock = JavaProcess.start(falseTime(), Clock.class);
                JavaProcess one = ReaderProgram.start(falseTime(), database.url(), "one", Duration.ofSeconds(4));
                JavaProcess two = ReaderProgram.start(database, "two");
                Writers writers = Writers.startShort(database, 2)) {
            one.await("RUNNING", SOON);
            two.await("RUNNING", SOON);
            Eventually.isTrue(SOON, () -> lanesOf(database, "one") == 8 && lanesOf(database, "two") == 8);
            String before = database.one(OWNERS);
            for (int hours : new int[] {1, -1, 0}) {
                jump(hours < 0 ? "-3600" : "+" + hours * 3600);
                assertThat(now(clock))
                        .isCloseTo(
                                Instant.now().plus(Duration.ofHours(hours)),
                                org.assertj.core.api.Assertions.within(Duration.ofMinutes(10)));
                awaitTraffic(database, "one");
                awaitTraffic(database, "two");
            }
            assertThat(database.one(OWNERS)).as("nobody lost a lane").isEqualTo(before);
            writers.stop();
            Eventually.isTrue(SOON, () -> Handled.isComplete(database, ReaderProgram.BY_KEY));
            assertThat(Handled.verdict(database, ReaderProgram.BY_KEY, false)).matches(Handled.Verdict::isClean);
        }
    }

    private static Instant now(JavaProcess clock) throws Exception {
        clock.say("?");
        return Instant.parse(clock.await("NOW ", SOON).text().substring(4));
    }

    /** A jump of more than a lease: a lease that was measured by this clock would be over. */
    private static void awaitTraffic(TestDatabase database, String owner) throws SQLException {
        String handled =
                "SELECT count(*) FROM public.handled h JOIN baton.events e USING (position) JOIN baton.lane_status s "
                        + "ON s.name = h.subscription AND s.lane = e.lane WHERE s.name = 'by-key' AND s.owner = ?";
        long before = Long.parseLong(database.one(handled, owner));
        Eventually.isTrue(SOON, () -> Long.parseLong(database.one(handled, owner)) > before + 50);
    }

    private static int lanesOf(TestDatabase database, String owner) throws SQLException {
        return Integer.parseInt(
                database.one("SELECT count(*) FROM baton.lane_status WHERE name = 'by-key' AND owner = ?", owner));
    }

    /** @param seconds such as {@code +3600} */
    private void jump(String seconds) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), seconds + "\n");
        Files.move(next, folder.resolve("time"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private List<String> falseTime() throws IOException {
        Optional<Path> library = library();
        assumeTrue(library.isPresent(), "no libfaketime here (apt-get install libfaketime)");
        return List.of(
                "env",
                "LD_PRELOAD=" + library.get(),
                "FAKETIME_TIMESTAMP_FILE=" + folder.resolve("time"),
                "FAKETIME_NO_CACHE=1",
                "FAKETIME_FORCE_MONOTONIC_FIX=0",
                "FAKETIME_DONT_FAKE_MONOTONIC=1");
    }

    private static Optional<Path> library() throws IOException {
        try (Stream<Path> machines = Files.list(Path.of("/usr/lib"))) {
            return machines.map(each -> each.resolve("faketime/libfaketime.so.1"))
                    .filter(Files::isReadable)
                    .findFirst();
        }
    }
}
