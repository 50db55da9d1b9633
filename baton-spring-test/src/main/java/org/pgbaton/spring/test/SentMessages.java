package org.pgbaton.spring.test;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.pgbaton.Baton;
import org.pgbaton.log.Log;
import org.pgbaton.log.Message;
import org.pgbaton.spring.EventLog;
import org.pgbaton.spring.Outbox;
import org.pgbaton.spring.autoconfigure.BatonAutoConfiguration.ChosenDataSource;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What the application has sent since the test method began, and whether its listeners are done with it. A bean in tests with {@link
 * BatonSpringTest}.
 *
 * <p>Only what is committed counts. So a test method with {@code @Transactional}, whose transaction Spring rolls back, cannot use it: that is
 * an error, not an empty list. Thread-safe.
 */
public final class SentMessages {
    private static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final TestDatabase database;
    private final Baton baton;
    private final DataSource source;
    private final Log outbox;
    private final Log events;
    private volatile long outboxBegin;
    private volatile long eventsBegin;

    /** Of the application with these beans. */
    SentMessages(TestDatabase database, Baton baton, ChosenDataSource chosen, Outbox outbox, EventLog events) {
        this.database = database;
        this.baton = baton;
        this.source = chosen.source();
        this.outbox = outbox.log();
        this.events = events.log();
    }

    /** The database of the test, to look into. */
    public TestDatabase database() {
        return database;
    }

    /** What was sent by the {@link Outbox} in this test method, in the order of positions. */
    public List<Message> list() {
        requireNoTransaction();
        return outbox.read().after(outboxBegin).list();
    }

    /** The same for one topic. */
    public List<Message> list(String topic) {
        return list().stream().filter(message -> topic.equals(message.topic())).toList();
    }

    /** What was appended to the {@link EventLog} in this test method, in the order of positions. */
    public List<Message> events() {
        requireNoTransaction();
        return events.read().after(eventsBegin).list();
    }

    /**
     * Waits until every subscription has handled everything that is committed, also what other listeners have sent meanwhile.
     *
     * @throws AssertionError if that takes longer than 30 s; or if a key is parked or a subscription has stopped, with the reason
     */
    public void drain() throws InterruptedException {
        drain(DEFAULT_PATIENCE);
    }

    /** The same with another patience. */
    public void drain(Duration atMost) throws InterruptedException {
        requireNoTransaction();
        long end = System.nanoTime() + atMost.toNanos();
        List<String> busy = busy();
        while (!busy.isEmpty()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(
                        "Not everything was handled within " + atMost + ": " + String.join("; ", busy));
            }
            Thread.sleep(PAUSE.toMillis());
            busy = busy();
        }
    }

    /** Who has something to do. */
    private List<String> busy() {
        List<String> busy = new ArrayList<>();
        for (SubscriptionStatus each : baton.subscriptions().list()) {
            if (!each.live()) {
                continue;
            }
            if (each.state() == SubscriptionStatus.State.STOPPED) {
                throw new AssertionError("Subscription '" + each.name() + "' has stopped: " + each.note());
            }
            if (!each.backlog().isEmpty()) {
                busy.add("'" + each.name() + "' is " + each.backlog().positions() + " positions behind");
            }
        }
        for (ParkedKey each : baton.subscriptions().parked(null)) {
            String told = "'" + each.subscription() + "' has set key '" + each.key() + "' aside after "
                    + each.attempts() + " attempts: " + each.error();
            if (each.state() == ParkedKey.State.PARKED) {
                throw new AssertionError("Subscription " + told);
            }
            busy.add(told);
        }
        return busy;
    }

    void begin() {
        outboxBegin = end(outbox);
        eventsBegin = end(events);
    }

    void requireOwnDatabase() {
        try (Connection connection = source.getConnection()) {
            if (!database.name().equals(connection.getCatalog())) {
                throw new IllegalStateException("The application connects to the database '" + connection.getCatalog()
                        + "', not to the test's own: with @BatonSpringTest it must use spring.datasource.url, and neither a"
                        + " DataSource bean of its own nor @ServiceConnection.");
            }
        } catch (SQLException refused) {
            throw new IllegalStateException("The test's database cannot be used: " + refused.getMessage(), refused);
        }
    }

    private static long end(Log log) {
        List<Message> last = log.read().backwards().limit(1).list();
        return last.isEmpty() ? 0 : last.get(0).position();
    }

    private static void requireNoTransaction() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "Messages can be seen after they were committed, and a transaction is open on this"
                            + " thread: remove @Transactional from the test, or call TestTransaction.flagForCommit() and end() first.");
        }
    }
}
