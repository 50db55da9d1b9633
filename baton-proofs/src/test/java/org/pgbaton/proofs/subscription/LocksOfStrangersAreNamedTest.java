package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Every user who may connect can take advisory locks. Baton cannot prevent that, but it names the session that does.
 */
@BatonTest
class LocksOfStrangersAreNamedTest {
    @Test
    void aLaneThatSomebodyElseLockedHasNoOwnerAndHealthNamesTheProcess(TestDatabase database) throws Exception {
        String stranger = "stranger_" + database.name();
        database.execute("CREATE ROLE " + stranger + " LOGIN");
        try (Baton first = database.baton("first")) {
            Subscription mirror = first.subscription("mirror")
                    .on("events")
                    .project((message, connection) -> {})
                    .start();
            Eventually.isTrue(Duration.ofSeconds(60), () -> mirror.health().lanes() == 16);
        }
        try (Connection holder =
                DatabaseUrl.parse(database.urlFor(stranger)).connector().connect()) {
            // The stranger has no rights on Baton's objects; a shared lock is enough.
            holder.createStatement()
                    .execute("SELECT pg_advisory_lock_shared("
                            + database.one("SELECT 'baton.checkpoint'::regclass::oid::int4")
                            + ", n) FROM generate_series(1, 16) n");
            String pid = database.one("SELECT pid FROM pg_stat_activity WHERE usename = '" + stranger + "'");
            assertThat(database.one("SELECT count(owner) FROM baton.lane_status"))
                    .isEqualTo("0");
            assertThat(database.one("SELECT lanes_owned FROM baton.subscription_status"))
                    .isEqualTo("0");
            assertThat(database.one("SELECT min(locked_by) FROM baton.lane_status"))
                    .contains(pid)
                    .contains(stranger);

            try (Baton second = database.baton("second")) {
                Subscription mirror = second.subscription("mirror")
                        .on("events")
                        .project((message, connection) -> {})
                        .start();
                Eventually.isTrue(Duration.ofSeconds(60), () -> !mirror.health().isHealthy());
                assertThat(mirror.health().trouble()).contains(pid).contains(stranger);

                database.execute("SELECT pg_terminate_backend(" + pid + ")");
                Eventually.isTrue(
                        Duration.ofSeconds(60),
                        () -> mirror.health().lanes() == 16 && mirror.health().isHealthy());
                assertThat(database.one("SELECT count(*) FROM baton.foreign_lock"))
                        .isEqualTo("0");
                assertThat(database.one("SELECT lanes_owned FROM baton.subscription_status"))
                        .isEqualTo("16");
            }
        }
    }

    @Test
    void aLaneOfALogThatSomebodyElseLockedIsNamedWithIt(TestDatabase database) throws Exception {
        try (Connection holder = database.connect()) {
            holder.createStatement().execute("SELECT pg_advisory_lock('baton.events'::regclass::int4, 3)");
            assertThat(database.one("SELECT what FROM baton.foreign_lock")).isEqualTo("log events, lane 3");
            assertThat(database.one("SELECT pid FROM baton.foreign_lock"))
                    .isEqualTo(database.one(
                            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'"));
        }
    }
}
