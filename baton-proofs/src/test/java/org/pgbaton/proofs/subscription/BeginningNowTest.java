package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.Baton;
import org.pgbaton.subscription.Order;
import org.pgbaton.subscription.Start;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

@BatonTest
class BeginningNowTest {
    private final List<String> handled = new CopyOnWriteArrayList<>();

    private void start(Baton baton, Order order) {
        baton.subscription("now")
                .on("events")
                .order(order)
                .from(Start.now())
                .react((message, delivery) -> handled.add(message.key()))
                .start();
    }

    @ParameterizedTest
    @EnumSource
    void besideATransactionThatStaysOpenMissesNothingOfItAndRepeatsNotTheHistory(Order order, TestDatabase database)
            throws Exception {
        database.execute(
                "INSERT INTO baton.events (key, payload) SELECT 'old-' || n, '{}' FROM generate_series(1, 200) n");
        database.execute("SELECT pg_sleep(1.5)");
        try (Baton baton = database.baton();
                Connection open = database.connect();
                Statement statement = open.createStatement()) {
            open.setAutoCommit(false);
            statement.execute("INSERT INTO baton.events (key, payload) VALUES ('open', '{}')");
            start(baton, order);
            statement.execute("INSERT INTO baton.events (key, payload) VALUES ('open', '{}')");
            open.commit();
            Eventually.isTrue(() -> handled.size() == 2);

            assertThat(handled).containsExactly("open", "open");
        }
    }

    @Test
    void whatIsCommittedAfterStartingIsHandled(TestDatabase database) throws Exception {
        database.execute("INSERT INTO baton.events (key, payload) VALUES ('old', '{}')");
        try (Baton baton = database.baton()) {
            start(baton, Order.PER_KEY);
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('new', '{}')");
            Eventually.isTrue(() -> !handled.isEmpty());

            assertThat(handled).containsExactly("new");
        }
    }
}
