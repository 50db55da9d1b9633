package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.log.LogException;
import org.pgbaton.log.LogOptions;
import org.pgbaton.log.LogStatus;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Making logs, and looking at them. */
@BatonTest
class LogsTest {
    @Test
    void aLogIsMadeOnce(TestDatabase database) {
        try (Baton baton = database.baton()) {
            LogOptions options = LogOptions.defaults().lanes(4).retention(Duration.ofDays(30));
            assertThat(baton.logs().create("orders", options)).isTrue();
            assertThat(baton.logs().create("orders", options)).isFalse();
            assertThat(baton.logs().create("orders", options.retention(Duration.ofDays(1))))
                    .isFalse();
            assertThat(baton.logs().names()).containsExactly("events", "orders", "outbox");

            Log orders = baton.log("orders");
            orders.append(Draft.json("1").key("k"));
            LogStatus status = baton.logs().show("orders");
            assertThat(status.lanes()).isEqualTo(4);
            assertThat(status.retention()).isEqualTo(Duration.ofDays(30));
            assertThat(status.first().position()).isEqualTo(1);
            assertThat(status.last()).isEqualTo(status.first());
            assertThat(status.size().bytes()).isPositive();
            assertThat(status.writers()).isEmpty();
        }
    }

    @Test
    void theNumberOfLanesCannotBeChanged(TestDatabase database) {
        try (Baton baton = database.baton()) {
            assertThatThrownBy(() ->
                            baton.logs().create("events", LogOptions.defaults().lanes(4)))
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining("The log 'events' has 16 lanes, not 4, and that cannot be changed");
        }
    }

    @Test
    void twoThatMakeTheSameLogAtOnceMakeItOnce(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            open.setAutoCommit(false);
            open.createStatement().execute("LOCK TABLE baton.log IN SHARE ROW EXCLUSIVE MODE");
            CompletableFuture<Boolean> one = Background.run(() -> baton.logs().create("orders"));
            CompletableFuture<Boolean> two = Background.run(() -> baton.logs().create("orders"));
            Background.awaitWaiting(database, 2);
            open.commit();
            assertThat(one.get(20, TimeUnit.SECONDS)).isNotEqualTo(two.get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void whoHoldsALaneBackIsShown(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            open.createStatement().execute("SET application_name = 'slow import'");
            open.setAutoCommit(false);
            baton.log("events").append(open, Draft.json("1").key("account-42"));
            LogStatus.Writer writer = baton.logs().show("events").writers().get(0);
            assertThat(writer.who()).isEqualTo("slow import");
            assertThat(writer.lanes()).containsExactly(7);
            assertThat(writer.process()).isNotNull();
            assertThat(writer.age()).isNotNull().isGreaterThanOrEqualTo(Duration.ZERO);
            open.rollback();
            assertThat(baton.logs().show("events").writers()).isEmpty();
        }
    }

    @Test
    void aLogInAnotherSchemaIsAnother(TestDatabase database) {
        try (Baton baton = database.baton();
                Baton other = Baton.builder(database.url()).schema("Other_1").open()) {
            other.logs().create("orders");
            other.log("orders").append(Draft.json("1"));
            assertThat(other.log("orders").read().list()).hasSize(1);
            assertThatThrownBy(() -> baton.log("orders")).isInstanceOf(LogException.class);
        }
    }

    @Test
    void aLogWithOneLaneAndOneWithAThousand(TestDatabase database) {
        try (Baton baton = database.baton()) {
            for (int lanes : new int[] {1, 1024}) {
                String name = "lanes_" + lanes;
                baton.logs().create(name, LogOptions.defaults().lanes(lanes));
                Log log = baton.log(name);
                log.append(Draft.json("1").key("account-42"));
                assertThat(log.read().list().get(0).lane()).isEqualTo(lanes == 1 ? 0 : 151);
            }
        }
    }
}
