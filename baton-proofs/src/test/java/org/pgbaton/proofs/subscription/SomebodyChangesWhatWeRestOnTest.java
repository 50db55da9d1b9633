package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.Baton;
import org.pgbaton.log.LogException;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Promise 1 rests on the way in which the log was made: its sequence, its triggers, who may see its rows. If somebody
 * changes one of these, a subscription refuses to start, and notices it while it runs. The message has the statement
 * that repairs it.
 */
@BatonTest
class SomebodyChangesWhatWeRestOnTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    enum Change {
        CACHE("ALTER SEQUENCE baton.outbox_position CACHE 20", "CACHE 20"),
        INCREMENT("ALTER SEQUENCE baton.outbox_position INCREMENT 2", "INCREMENT 2"),
        CYCLE("ALTER SEQUENCE baton.outbox_position CYCLE", "CYCLE"),
        OWNED("ALTER SEQUENCE baton.outbox_position OWNED BY baton.outbox.position", "is owned by a column"),
        DISABLED("ALTER TABLE baton.outbox DISABLE TRIGGER baton_append", "baton_append is disabled"),
        ALL_DISABLED("ALTER TABLE baton.outbox DISABLE TRIGGER ALL", "baton_refuse is disabled"),
        NOT_ALWAYS("ALTER TABLE baton.outbox ENABLE TRIGGER baton_append", "not enabled for every session"),
        DROPPED("DROP TRIGGER baton_refuse ON baton.outbox", "baton_refuse is gone");

        final String sql;
        final String told;

        Change(String sql, String told) {
            this.sql = sql;
            this.told = told;
        }
    }

    @ParameterizedTest
    @EnumSource
    void isRefusedAndWhatRepairsItIsTold(Change change, TestDatabase database) throws SQLException {
        database.execute(change.sql);
        try (Baton baton = database.baton()) {
            assertThatThrownBy(() -> start(baton))
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining("Log 'outbox' cannot be relied on")
                    .hasMessageContaining(change.told)
                    .hasMessageContaining("Run ");
            repair(database);
            start(baton);
        }
    }

    /** The statements between "Run" and the end of their sentence, as an operator would copy them. */
    private static void repair(TestDatabase database) throws SQLException {
        for (int i = 0; i < 10; i++) {
            String remedy = database.one("SELECT remedy FROM baton.unsafe('outbox')");
            if (remedy.equals("null")) {
                return;
            }
            database.execute(remedy.replaceFirst("(?s)^Run (.*?)(, and end |\\.( |$)).*$", "$1"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CACHE", "DISABLED", "DROPPED"})
    void isNoticedWhileItRunsAndStopsItUntilItIsRepaired(Change change, TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Subscription subscription = start(baton);
            database.execute(change.sql);
            Eventually.isTrue(SOON, () -> subscription.state() == SubscriptionState.STOPPED);
            assertThat(subscription.note()).contains(change.told).contains("Run ");
            assertThat(subscription.health().isHealthy()).isFalse();
            repair(database);
            baton.subscriptions().resume("s", "repaired");
            Eventually.isTrue(SOON, () -> subscription.state() == SubscriptionState.RUNNING);
        }
    }

    @Test
    void rowSecurityForARoleThatIsSubjectToIt(TestDatabase database) throws Exception {
        String worker = "worker_of_" + database.name();
        database.execute("CREATE ROLE " + worker + " LOGIN");
        try {
            database.execute("GRANT USAGE ON SCHEMA baton TO " + worker + ";"
                    + "GRANT ALL ON ALL TABLES IN SCHEMA baton TO " + worker + ";"
                    + "GRANT ALL ON ALL SEQUENCES IN SCHEMA baton TO " + worker + ";"
                    + "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA baton TO " + worker);
            try (Baton baton =
                    Baton.builder(database.urlFor(worker)).migrate(false).open()) {
                Subscription subscription = start(baton);
                database.execute("ALTER TABLE baton.outbox ENABLE ROW LEVEL SECURITY");
                Eventually.isTrue(SOON, () -> subscription.state() == SubscriptionState.STOPPED);
                assertThat(subscription.note()).contains("row security").contains(worker);
                subscription.close();
                assertThatThrownBy(() -> start(baton)).hasMessageContaining("row security");
            }
            try (Baton notSubject = database.baton()) {
                notSubject.subscriptions().resume("s", "as the owner");
                start(notSubject);
            }
        } finally {
            database.execute("DROP OWNED BY " + worker + "; DROP ROLE " + worker);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMissingIndexIsRefusedAndWhileItRunsTold(Index index, TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Subscription subscription = start(baton);
            database.execute(index.sql);
            Eventually.isTrue(SOON, () -> String.valueOf(subscription.note()).contains("has no valid"));
            assertThat(subscription.state()).isEqualTo(SubscriptionState.RUNNING);
            subscription.close();
            assertThatThrownBy(() -> start(baton))
                    .hasMessageContaining("index on (" + index.columns + ")")
                    .hasMessageContaining("INDEX CONCURRENTLY ON baton.outbox (" + index.columns + ")");
            repair(database);
            start(baton);
        }
    }

    enum Index {
        LANE("DROP INDEX baton.outbox_lane", "lane, position"),
        ID("DROP INDEX baton.outbox_id", "id"),
        POSITION("ALTER TABLE baton.outbox DROP CONSTRAINT outbox_pkey", "position");

        final String sql;
        final String columns;

        Index(String sql, String columns) {
            this.sql = sql;
            this.columns = columns;
        }
    }

    private static Subscription start(Baton baton) {
        return baton.subscription("s")
                .on("outbox")
                .project((message, connection) -> {})
                .start();
    }
}
