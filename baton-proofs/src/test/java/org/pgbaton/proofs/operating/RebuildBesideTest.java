package org.pgbaton.proofs.operating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.subscription.Projection;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

@BatonTest
class RebuildBesideTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static Projection countInto(String table) {
        return (message, connection) -> {
            try (PreparedStatement upsert = connection.prepareStatement("INSERT INTO " + table
                    + " AS t VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET messages = t.messages + 1")) {
                upsert.setString(1, message.key());
                upsert.executeUpdate();
            }
        };
    }

    @Test
    void aNewTargetIsSwitchedOverUnderLiveWritesAndNothingIsLostOrDoubled(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE counts_v1 (key text PRIMARY KEY, messages bigint)");
        database.execute("CREATE TABLE counts_v2 (key text PRIMARY KEY, messages bigint)");
        database.execute("CREATE VIEW counts AS SELECT * FROM counts_v1");
        AtomicBoolean writing = new AtomicBoolean(true);
        AtomicInteger written = new AtomicInteger();
        Thread writer = new Thread(() -> write(database, writing, written));
        try (Baton old = database.baton("old");
                Baton fresh = database.baton("fresh")) {
            Subscription v1 = old.subscription("counts")
                    .on("events")
                    .project(countInto("counts_v1"))
                    .start();
            writer.start();
            while (written.get() < 200) {
                Thread.sleep(10);
            }
            fresh.subscription("counts")
                    .on("events")
                    .target("v2")
                    .project(countInto("counts_v2"))
                    .start();
            while (fresh.subscriptions().behindLive("counts", "v2") > 50) {
                Thread.sleep(10);
            }
            fresh.subscriptions().switchOver("counts", "v2", "test", PATIENCE, connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("CREATE OR REPLACE VIEW counts AS SELECT * FROM counts_v2");
                }
            });
            String atTheSwitch = database.one("SELECT sum(messages) FROM counts_v1");
            int then = written.get();
            while (written.get() < then + 200) {
                Thread.sleep(10);
            }
            writing.set(false);
            writer.join();
            database.drain("counts", PATIENCE);

            assertThat(database.one("SELECT sum(messages) FROM counts")).isEqualTo(Integer.toString(written.get()));
            assertThat(database.one("SELECT sum(messages) FROM counts_v1"))
                    .as("the old target cannot commit after the switch")
                    .isEqualTo(atTheSwitch);
            assertThat(v1.state()).isEqualTo(SubscriptionState.RETIRED);
            assertThat(database.one("SELECT string_agg(DISTINCT t.epoch::text, ' ') FROM baton.checkpoint c "
                            + "JOIN baton.subscription s ON s.id = c.subscription AND s.state = 'retired', "
                            + "baton.take_lane(c.id, 'late', 1000) t"))
                    .as("nobody is given its lanes any more")
                    .isEqualTo("-1");
            assertThat(old.health().isHealthy()).isTrue();
        }
    }

    private static void write(TestDatabase database, AtomicBoolean writing, AtomicInteger written) {
        try (Connection connection = database.connect();
                Statement insert = connection.createStatement()) {
            while (writing.get()) {
                insert.execute("INSERT INTO baton.events (key, payload) VALUES ('k" + written.get() % 40 + "', '{}')");
                written.incrementAndGet();
            }
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Test
    void aTargetThatDoesNotCatchUpInTimeIsNotSwitchedOver(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            database.execute("CREATE TABLE counts_v1 (key text PRIMARY KEY, messages bigint)");
            baton.subscription("counts")
                    .on("events")
                    .project(countInto("counts_v1"))
                    .start();
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('a', '{}')");
            database.drain("counts", PATIENCE);
            Subscription slow = baton.subscription("counts")
                    .on("events")
                    .target("v2")
                    .project((message, connection) -> {
                        throw new IllegalStateException("not now");
                    })
                    .errors(failure -> org.pgbaton.subscription.Verdict.OUTAGE)
                    .start();

            assertThatThrownBy(() -> baton.subscriptions()
                            .switchOver("counts", "v2", "test", Duration.ofMillis(300), connection -> {}))
                    .isInstanceOf(SubscriptionException.class)
                    .hasMessageContaining("behind");
            assertThat(baton.subscriptions().list())
                    .filteredOn(status -> status.live())
                    .extracting(status -> status.target())
                    .containsExactly("");
            slow.close();
        }
    }
}
