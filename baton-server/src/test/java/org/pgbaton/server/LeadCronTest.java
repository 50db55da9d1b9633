package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton lead --cron} stays, and runs the command at each due time in one of all processes. */
@BatonTest
class LeadCronTest {
    private static final String BEFORE = "2031-05-01T02:59:59.950Z";
    private static final String DUE = "2031-05-01T03:00:00Z";
    private static final String NEXT_DAY = "2031-05-02T03:00:00Z";

    @Test
    void ofTwoProcessesOneRunsItAndTheOtherGoesOnWhenThatOneIsTerminated(TestDatabase database, @TempDir Path folder)
            throws Exception {
        stopTheClock(database);
        Path ran = folder.resolve("ran");
        String command = "echo $BATON_LEADERSHIP $BATON_DUE >> " + ran;
        try (Cli first = job(database, command)) {
            awaitNextDue(database, DUE);
            try (Cli second = job(database, command)) {
                LeadTakeoverTest.awaitStandby(database, second);
                set(database, DUE);
                first.awaitError("baton: job due " + DUE + ": done after ");
                awaitNextDue(database, NEXT_DAY);

                first.signal("TERM");
                assertThat(first.awaitEnd().code()).isZero();
                set(database, NEXT_DAY);
                second.awaitError("baton: job due " + NEXT_DAY + ": done after ");

                assertThat(Files.readAllLines(ran)).containsExactly("job " + DUE, "job " + NEXT_DAY);
                assertThat(first.err()).hasLineCount(1);
                assertThat(second.err()).hasLineCount(1);
                statusShowsIt(database, second);
            }
        }
    }

    private static void statusShowsIt(TestDatabase database, Cli second) {
        await().atMost(Cli.PATIENCE)
                .until(() -> database.one("SELECT outcome FROM baton.schedule_run ORDER BY due DESC LIMIT 1")
                        .equals("done"));
        List<String> people = Cli.baton("status")
                .on(database.url())
                .run()
                .succeeds()
                .out()
                .lines()
                .toList();
        assertThat(people).hasSize(5);
        assertThat(people.get(3).strip().split(" {2,}"))
                .containsExactly("SCHEDULE", "CRON", "ZONE", "MISSED", "NEXT DUE", "LAST DUE", "OUTCOME", "BY");
        assertThat(people.get(4))
                .containsPattern("job +0 3 \\* \\* \\* +UTC +skip +2031-05-03T03:00:00Z +" + NEXT_DAY
                        + " +done after .*/" + second.pid());
        JsonNode schedule = JsonMapper.shared()
                .readTree(Cli.baton("status", "--json")
                        .on(database.url())
                        .run()
                        .succeeds()
                        .out())
                .get("schedules")
                .get(0);
        assertThat(schedule.get("nextDue").asString()).isEqualTo("2031-05-03T03:00:00Z");
        assertThat(schedule.get("holder").asString()).endsWith("/" + second.pid());
        assertThat(schedule.get("lastRun").get("outcome").asString()).isEqualTo("done");
        assertThat(schedule.get("lastRun").get("by").asString()).endsWith("/" + second.pid());
    }

    @Test
    void aSignalEndsTheCommandAndItsRunIsRecorded(TestDatabase database) throws Exception {
        stopTheClock(database);
        try (Cli baton = job(database, "trap 'echo stopped; exit 3' TERM; echo ready; while :; do sleep 0.02; done")) {
            awaitNextDue(database, DUE);
            set(database, DUE);
            baton.awaitLine("ready");
            baton.signal("TERM");

            Cli.Ended ended = baton.awaitEnd();
            assertThat(ended.code()).isZero();
            assertThat(ended.out()).isEqualTo("ready\nstopped\n");
            assertThat(ended.err())
                    .startsWith("baton: job due " + DUE + ": failed after ")
                    .hasLineCount(1);
        }
        assertThat(database.one("SELECT outcome || ' ' || error FROM baton.schedule_run"))
                .isEqualTo("failed exit code 3");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--cron=0 25 * * *|'0 25 * * *' is no cron expression",
                "--cron=0 0 30 2 *|'0 0 30 2 *' is never due",
                "--cron=0 3 * * * --zone=Europe/Berlln|there is no time zone 'Europe/Berlln'",
                "--cron=0 3 * * * --missed=twice|--missed takes skip or once",
                "--cron=0 3 * * * --wait|leave out --wait",
                "--zone=UTC|belong to --cron"
            })
    void whatMakesNoSenseIsRefusedInOneSentence(String options, String sentence, TestDatabase database) {
        List<String> arguments = List.of(options.split(" (?=--)"));
        String first = arguments.get(0);
        String second = arguments.size() > 1 ? arguments.get(1) : "--lease=10s";

        Cli.baton("lead", "job", first, second, "--", "true")
                .on(database.url())
                .run()
                .complains(64, sentence);
    }

    private static Cli job(TestDatabase database, String command) {
        return Cli.baton("lead", "job", "--cron", "0 3 * * *", "--", "bash", "-c", command)
                .on(database.url())
                .start();
    }

    /** A moment before it is due: whoever leads looks again and again. */
    private static void stopTheClock(TestDatabase database) throws SQLException {
        database.execute("""
                CREATE TABLE public.stopped_clock (at timestamptz NOT NULL);
                INSERT INTO public.stopped_clock VALUES ('%s');
                CREATE OR REPLACE FUNCTION baton.schedule_clock() RETURNS timestamptz
                LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS 'SELECT at FROM public.stopped_clock'
                """.formatted(BEFORE));
    }

    private static void set(TestDatabase database, String time) throws SQLException {
        database.execute("UPDATE public.stopped_clock SET at = '" + time + "'");
    }

    private static void awaitNextDue(TestDatabase database, String time) {
        await().atMost(Cli.PATIENCE)
                .until(() -> database.one("SELECT count(*) FROM baton.schedule WHERE next_due = '" + time + "'")
                        .equals("1"));
    }
}
