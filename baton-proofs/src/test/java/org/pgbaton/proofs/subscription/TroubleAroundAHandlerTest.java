package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

@BatonTest
class TroubleAroundAHandlerTest {
    private static void append(TestDatabase database, String... keys) throws Exception {
        database.execute("INSERT INTO baton.events (key, payload) SELECT k, to_json(n) " + "FROM unnest(ARRAY['"
                + String.join("','", keys) + "']) WITH ORDINALITY AS u (k, n) ORDER BY n");
    }

    /** Switching autocommit on commits the open transaction. After an uncaught Error that must not happen. */
    @Test
    void anErrorThatLeavesTheTransactionDoesNotCommitWhatWasApplied(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE applied (n text)");
        append(database, "a", "a", "a");
        AtomicBoolean failing = new AtomicBoolean(true);
        try (Baton baton = database.baton()) {
            baton.subscription("once")
                    .on("events")
                    .project((message, connection) -> {
                        try (var insert = connection.prepareStatement("INSERT INTO applied VALUES (?)")) {
                            insert.setString(1, message.text());
                            insert.executeUpdate();
                        }
                        if (message.text().equals("3") && failing.getAndSet(false)) {
                            throw new IllegalStateException("the classifier fails on this");
                        }
                    })
                    .errors(failure -> {
                        throw new AssertionError("a classifier with a bug");
                    })
                    .start();
            Eventually.isTrue(
                    () -> database.one("SELECT count(DISTINCT n) FROM applied").equals("3"));
            database.drain("once", java.time.Duration.ofSeconds(20));

            assertThat(database.one("SELECT string_agg(n, ' ') FROM applied")).isEqualTo("1 2 3");
        }
    }

    @Test
    void inTotalOrderNothingBehindAFailureIsTouchedNotEvenOfTheSameKey(TestDatabase database) throws Exception {
        List<String> handled = new CopyOnWriteArrayList<>();
        AtomicInteger failures = new AtomicInteger(2);
        append(database, "k", "l", "k", "l");
        try (Baton baton = database.baton()) {
            baton.subscription("all")
                    .on("events")
                    .order(MessageOrder.TOTAL)
                    .react((message, delivery) -> {
                        if (message.text().equals("1") && failures.getAndDecrement() > 0) {
                            throw new IllegalStateException("not yet");
                        }
                        handled.add(message.text());
                    })
                    .start();
            Eventually.isTrue(() -> handled.size() >= 4);
            database.drain("all", java.time.Duration.ofSeconds(20));

            assertThat(handled).containsExactly("1", "2", "3", "4");
        }
    }
}
