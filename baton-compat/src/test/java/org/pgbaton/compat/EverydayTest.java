package org.pgbaton.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.PreparedStatement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.capture.Capture;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.leadership.Term;
import org.pgbaton.micrometer.BatonMetrics;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** The parts that use the driver, the logging and the metrics library. */
@BatonTest
class EverydayTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    void oneLeadsAndTheOtherDoesNot(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Term term = one.leadership("reports").lead();
            assertThat(two.leadership("reports").tryLead()).isInstanceOf(LeadershipAttempt.Held.class);
            term.close();
            assertThat(two.leadership("reports").tryLead().term()).isPresent();
        }
    }

    @Test
    void aProjectionIsAppliedOnceAndMeasured(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE balance (account text PRIMARY KEY, amount int)");
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (Baton baton = database.baton()) {
            new BatonMetrics(baton).bindTo(meters);
            baton.subscription("balances")
                    .on("events")
                    .project((message, connection) -> {
                        try (PreparedStatement add = connection.prepareStatement(
                                "INSERT INTO balance VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET amount = balance.amount + excluded.amount")) {
                            add.setString(1, message.key());
                            add.setInt(2, Integer.parseInt(message.text()));
                            add.executeUpdate();
                        }
                    })
                    .start();
            database.execute(
                    "INSERT INTO baton.events (key, payload) SELECT 'a' || n % 5, '2' FROM generate_series(1, 100) n");
            database.drain("balances", SOON);
            assertThat(database.one("SELECT string_agg(amount::text, ' ') FROM balance"))
                    .isEqualTo("40 40 40 40 40");
            await().atMost(SOON)
                    .until(() -> meters.get("baton.subscription.handled")
                                    .functionCounter()
                                    .count()
                            == 100);
        }
    }

    @Test
    void rowChangesAreCaptured(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id int PRIMARY KEY)");
        try (Baton baton = database.baton();
                Capture capture =
                        baton.capture("alerts").table("alert").into("events").start()) {
            await().atMost(SOON)
                    .until(() -> "running"
                            .equals(database.one("SELECT state FROM baton.capture_status WHERE name = 'alerts'")));
            database.execute("INSERT INTO alert VALUES (1), (2)");
            await().atMost(SOON)
                    .until(() -> database.one("SELECT count(*) FROM baton.events").equals("2"));
            assertThat(capture.health().isHealthy()).isTrue();
        }
    }
}
