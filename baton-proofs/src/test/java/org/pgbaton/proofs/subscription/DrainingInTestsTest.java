package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** The test kit's {@code drain}: a test whose messages were parked does not pass by mistake. */
@BatonTest
class DrainingInTestsTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    void drainingFailsAndNamesTheParkedKeysWithTheirErrors(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Subscription notes = baton.subscription("notes")
                    .on("events")
                    .attempts(2)
                    .backoff(Duration.ofMillis(10), Duration.ofMillis(20))
                    .react((message, delivery) -> {
                        switch (String.valueOf(message.key())) {
                            case "poison" -> throw new HandlerException(Verdict.PARK, "cannot read it");
                            case "weak" -> throw new IllegalStateException("not today");
                            default -> {}
                        }
                    })
                    .start();
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('fine', '1')");
            database.drain("notes", SOON);

            database.execute(
                    "INSERT INTO baton.events (key, payload) VALUES ('poison', '1'), ('weak', '2'), ('fine', '3')");
            assertThatThrownBy(() -> database.drain("notes", SOON))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("Subscription 'notes' has handled everything except for parked keys")
                    .hasMessageContaining("key 'poison' after 1 attempts: cannot read it")
                    .hasMessageContaining("key 'weak' after 2 attempts: java.lang.IllegalStateException: not today");
            assertThatCode(() -> database.drainExceptParked("notes", SOON)).doesNotThrowAnyException();

            baton.subscriptions().pause("notes", "nothing goes on");
            Eventually.isTrue(() -> notes.state() == SubscriptionState.PAUSED);
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('fine', '4')");
            assertThatThrownBy(() -> database.drain("notes", Duration.ofMillis(50)))
                    .hasMessageContaining("has not handled everything within PT0.05S")
                    .hasMessageContaining("parked: key 'poison'");
            assertThat(database.one("SELECT count(*) FROM baton.parked")).isEqualTo("2");
        }
    }
}
