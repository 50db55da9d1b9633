package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton status} shows who leads and who stands by: to people a table, to programs JSON. */
@BatonTest
class StatusTest {
    @Test
    void whereNobodyEverLedThereIsNoDataButAHint(TestDatabase database) {
        Cli.Ended people = Cli.baton("status").on(database.url()).run().succeeds();
        assertThat(people.out()).isEmpty();
        assertThat(people.err())
                .startsWith("Nobody has bid for a leadership here yet.")
                .hasLineCount(1);

        Cli.Ended programs =
                Cli.baton("status", "--json").on(database.url()).run().succeeds();
        assertThat(json(programs).get("leaderships")).isEmpty();
        assertThat(programs.err()).isEmpty();
    }

    @Test
    void leaderAndStandbyAreShown(TestDatabase database) {
        try (Cli leader = LeadTest.leading(database, "job");
                Cli standby = Cli.baton("lead", "job", "--wait", "--", "true")
                        .on(database.url())
                        .start()) {
            LeadTakeoverTest.awaitStandby(database, standby);

            Cli.Ended people = Cli.baton("status").on(database.url()).run().succeeds();
            assertThat(people.out().lines()).hasSize(2);
            assertThat(people.out().lines().findFirst().orElse("").strip().split(" {2,}"))
                    .containsExactly("LEADERSHIP", "LEADER", "EPOCH", "SINCE", "STANDBYS", "LAST TAKEOVER", "CHANGES");
            assertThat(people.out()).containsPattern("job +\\S+/" + leader.pid() + " +1 +\\S.* ago +1 ");
            assertThat(people.err()).isEmpty();

            Cli.Ended programs =
                    Cli.baton("status", "--json").on(database.url()).run().succeeds();
            JsonNode job = json(programs).get("leaderships").get(0);
            assertThat(job.get("name").asString()).isEqualTo("job");
            assertThat(job.get("state").asString()).isEqualTo("led");
            assertThat(job.get("holder").asString()).endsWith("/" + leader.pid());
            assertThat(job.get("epoch").asLong()).isEqualTo(1);
            assertThat(Instant.parse(job.get("since").asString())).isBefore(Instant.now());
            assertThat(job.get("standbys")).hasSize(1);
            assertThat(job.get("standbys").get(0).asString()).endsWith("/" + standby.pid());
            assertThat(job.get("changes").asLong()).isEqualTo(1);
            assertThat(programs.err()).isEmpty();
        }
    }

    @Test
    void aVacantLeadershipHasNoHolder(TestDatabase database) {
        Cli.baton("lead", "job", "--", "true").on(database.url()).run().succeeds();

        assertThat(Cli.baton("status").on(database.url()).run().succeeds().out())
                .contains("(nobody)");
        JsonNode job = json(Cli.baton("status", "--json").on(database.url()).run())
                .get("leaderships")
                .get(0);
        assertThat(job.get("state").asString()).isEqualTo("vacant");
        assertThat(job.get("holder").isNull()).isTrue();
        assertThat(job.get("since").isNull()).isTrue();
    }

    @Test
    void watchingShowsItAgainUntilCtrlC(TestDatabase database) {
        Cli.baton("lead", "job", "--", "true").on(database.url()).run().succeeds();
        try (Cli watch = Cli.baton("status", "--watch").on(database.url()).start()) {
            await().atMost(Cli.PATIENCE)
                    .until(() -> watch.out()
                                    .lines()
                                    .filter(line -> line.contains("LEADERSHIP"))
                                    .count()
                            >= 2);
            watch.signal("INT");

            Cli.Ended ended = watch.awaitEnd();
            assertThat(ended.code()).isEqualTo(130);
            assertThat(ended.err()).isEmpty();
        }
    }

    @Test
    void watchingEndsWhenNobodyReads(TestDatabase database) {
        Cli.baton("lead", "job", "--", "true").on(database.url()).run().succeeds();

        Cli.Ended ended = Cli.baton("status", "--watch")
                .through("sh", "-c", "\"$@\" | head -n 1", "sh")
                .on(database.url())
                .run();
        assertThat(ended.out()).contains("LEADERSHIP").hasLineCount(1);
    }

    @Test
    void lookingChangesNothing(TestDatabase database) throws Exception {
        Cli.baton("status", "--schema", "other").on(database.url()).run().complains(78, "has no tables of Baton");

        assertThat(database.one("SELECT to_regnamespace('other')")).isEqualTo("null");
    }

    private static JsonNode json(Cli.Ended ended) {
        return JsonMapper.shared().readTree(ended.out());
    }
}
