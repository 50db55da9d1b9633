package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Contention;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A leadership can be deleted while nobody uses it. Nobody keeps its lock in vain, and its epochs never start again. */
@BatonTest
class ADeletedLeadershipTest {
    @Test
    void whoHasTheLockOfADeletedOneIsToldToRegisterAnew(TestDatabase database) {
        assertThatThrownBy(() -> database.one("SELECT epoch FROM baton.take_epoch(4711, 'late', 100)"))
                .hasMessageContaining("the leadership was deleted")
                .isInstanceOfSatisfying(
                        SQLException.class,
                        conflict -> assertThat(conflict.getSQLState()).isEqualTo("40001"));
    }

    @Test
    void epochsGoOnAboveAllThatItHadAlsoIfTheSequenceIsBehind(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            lead(baton);
            database.execute("UPDATE baton.leadership SET epoch = epoch + 1000");
            long last = Long.parseLong(database.one("SELECT epoch FROM baton.leadership"));

            assertThat(database.one("SELECT baton.delete_leadership('job')")).isEqualTo("deleted");
            assertThat(database.one("SELECT baton.delete_leadership('job')")).isEqualTo("none");

            assertThat(lead(baton)).isGreaterThan(last);
        }
    }

    private static long lead(Baton baton) throws Exception {
        AtomicLong epoch = new AtomicLong();
        baton.leadership("job").run(Contention.SKIP, term -> epoch.set(term.epoch()));
        return epoch.get();
    }
}
