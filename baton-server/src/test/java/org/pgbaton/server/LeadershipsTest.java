package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.LeadershipHeldException;
import org.pgbaton.leadership.Term;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** {@code baton leaderships delete}: only what nobody uses, and epochs never start again. */
@BatonTest
class LeadershipsTest {
    @Test
    void oneThatNobodyUsesIsDeletedAndItsEpochsGoOn(TestDatabase database) throws Exception {
        long before;
        try (Baton baton = database.baton("old")) {
            try (Term term = baton.leadership("nightly").lead()) {
                before = term.epoch();
                delete(database).complains(75, "Leadership 'nightly' is led by old: stop that process first.");
                assertThatThrownBy(() -> baton.deleteLeadership("nightly", "test"))
                        .isInstanceOf(LeadershipHeldException.class);
            }
        }
        assertThat(delete(database).succeeds().err()).endsWith("Leadership 'nightly' is deleted.\n");
        delete(database).complains(78, "There is no leadership 'nightly' in schema 'baton'");
        assertThat(database.one("SELECT subject || ', ' || reason FROM baton.action WHERE what = 'delete leadership'"))
                .isEqualTo("nightly, gone");

        try (Baton baton = database.baton("new");
                Term term = baton.leadership("nightly").lead()) {
            assertThat(term.epoch()).isGreaterThan(before);
        }
    }

    @Test
    void oneWithAStandbyStaysAndTheStandbyLeadsLater(TestDatabase database) throws Exception {
        try (Baton leader = database.baton("leader");
                Baton standby = database.baton("standby")) {
            Term term = leader.leadership("nightly").lead();
            var candidate = standby.leadership("nightly").campaign(each -> {});
            org.awaitility.Awaitility.await()
                    .atMost(Cli.PATIENCE)
                    .until(() -> database.one("SELECT standbys FROM baton.leader_status")
                            .equals("1"));
            term.close();
            // Whoever is there, leading or waiting, keeps it.
            assertThatThrownBy(() -> leader.deleteLeadership("nightly", "test"))
                    .isInstanceOf(LeadershipHeldException.class);
            candidate.close();
        }
    }

    @Test
    void itsRowCannotBeDeletedByHand(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("old")) {
            baton.leadership("nightly").lead().close();
        }
        assertThatThrownBy(() -> database.execute("DELETE FROM baton.leadership"))
                .hasMessageContaining("its epochs must never start again");
    }

    private static Cli.Ended delete(TestDatabase database) {
        return Cli.baton("leaderships", "delete", "nightly", "--reason", "gone", "--yes")
                .on(database.url())
                .run();
    }
}
