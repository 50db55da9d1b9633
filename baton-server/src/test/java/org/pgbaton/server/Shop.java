package org.pgbaton.server;

import static org.awaitility.Awaitility.await;

import java.util.concurrent.atomic.AtomicBoolean;
import org.pgbaton.Baton;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.testkit.TestDatabase;

/**
 * A program with a subscription {@code balances} on {@code events}, for operators to work on. It counts messages per key in a table
 * {@code balance}, or one named after its target, and fails at messages that say {@code "poison"}.
 */
final class Shop implements AutoCloseable {
    static final String NAME = "balances";

    private final TestDatabase database;
    private final Baton baton;
    private final Subscription subscription;
    private final AtomicBoolean cured;

    private Shop(TestDatabase database, Baton baton, Subscription subscription, AtomicBoolean cured) {
        this.database = database;
        this.baton = baton;
        this.subscription = subscription;
        this.cured = cured;
    }

    static Shop open(TestDatabase database) throws Exception {
        return open(database, "");
    }

    static Shop open(TestDatabase database, String target) throws Exception {
        AtomicBoolean cured = new AtomicBoolean();
        String table = "balance" + target;
        database.execute("CREATE TABLE IF NOT EXISTS " + table + " (key text PRIMARY KEY, n bigint NOT NULL)");
        Baton baton = database.baton("shop" + target);
        Subscription subscription = baton.subscription(NAME)
                .on("events")
                .target(target)
                .attempts(1)
                .project((message, connection) -> {
                    if (!cured.get() && message.text().contains("poison")) {
                        throw new IllegalStateException("cannot swallow " + message.text());
                    }
                    try (var count = connection.prepareStatement("INSERT INTO " + table
                            + " AS b VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET n = b.n + 1")) {
                        count.setString(1, message.key());
                        count.executeUpdate();
                    }
                })
                .start();
        return new Shop(database, baton, subscription, cured);
    }

    /** Appends, and returns the position of the message. */
    static long append(TestDatabase database, String key, String payload) throws Exception {
        return Long.parseLong(database.one(
                "INSERT INTO baton.events (key, type, payload) VALUES (?, 'Booked', ?::json) RETURNING position",
                key,
                payload));
    }

    /** A key that is parked, with so many messages behind the poisoned one. Returns the position of that one. */
    long park(String key, int followers) throws Exception {
        long head = append(database, key, "{\"poison\": 1.10}");
        for (int i = 0; i < followers; i++) {
            append(database, key, "{\"amount\": " + i + "}");
        }
        await().atMost(Cli.PATIENCE)
                .until(() -> baton.subscriptions().parked(NAME).stream()
                        .anyMatch(each -> each.key().equals(key)
                                && each.state() == ParkedKey.State.PARKED
                                && each.waiting() == followers + 1));
        return head;
    }

    /** From now on it swallows everything. */
    void cure() {
        cured.set(true);
    }

    SubscriptionStatus status() {
        return baton.subscriptions().list().stream()
                .filter(each -> each.name().equals(NAME) && each.target().equals(subscription.target()))
                .findFirst()
                .orElseThrow();
    }

    void awaitCount(String key, int count) {
        String table = "balance" + subscription.target();
        await().atMost(Cli.PATIENCE)
                .until(() -> database.one("SELECT n FROM " + table + " WHERE key = ?", key)
                        .equals(Integer.toString(count)));
    }

    @Override
    public void close() {
        baton.close();
    }
}
