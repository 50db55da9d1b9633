package org.pgbaton.subscription;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Describes a subscription: a log, one handler, and options that all have good defaults. Get one from {@code Baton.subscription}. Not
 * thread-safe.
 *
 * <pre>{@code
 * Subscription balances = baton.subscription("balances")
 *         .on("events")
 *         .project((message, connection) -> {
 *             try (var update = connection.prepareStatement("UPDATE balance SET amount = amount + 1 WHERE account = ?")) {
 *                 update.setString(1, message.key());
 *                 update.executeUpdate();
 *             }
 *         })
 *         .start();
 * baton.subscription("trades-out").on("outbox").publish(publisher).start();
 * }</pre>
 */
public interface SubscriptionBuilder {
    /** Reads this log. */
    SubscriptionBuilder on(String logName);

    /** What to keep in order. Default: {@link MessageOrder#PER_KEY}. */
    SubscriptionBuilder order(MessageOrder wanted);

    /** Where to begin, the first time. Default: the origin. */
    SubscriptionBuilder from(Start begin);

    /** Handles only messages of these types. Default: all. */
    SubscriptionBuilder types(String... wanted);

    /** Handles only messages whose key begins like this. Default: all. */
    SubscriptionBuilder keyPrefix(String prefix);

    /**
     * How many messages are read and closed together, at most. Default: 500, and up to 5000 while there is a backlog and the handler is
     * quick; 500 for a publisher that waits for each message; 5000 for one with transactions, which cost more than messages.
     */
    SubscriptionBuilder batch(int rows);

    /** How many batches run at the same time in this process, each with a connection of its own. Default 4. */
    SubscriptionBuilder workers(int number);

    /** Runs handlers on these threads, virtual ones perhaps. Default: threads of Baton's own. */
    SubscriptionBuilder executor(Executor threads);

    /** What to do about other members of the same subscription. Default: {@link InstanceMode#COORDINATED}. */
    SubscriptionBuilder mode(InstanceMode instances);

    /** A handler that takes longer for one call is interrupted. Default 30 s. */
    SubscriptionBuilder handlerLimit(Duration longest);

    /** A key whose handler takes longer is set aside, so that others need not wait. Default 1 s. */
    SubscriptionBuilder slowKey(Duration patience);

    /** After so many failures of one message its key is parked. Default 5. */
    SubscriptionBuilder attempts(int number);

    /** Pauses between attempts, doubling. Default 0.1 s to 5 min. */
    SubscriptionBuilder backoff(Duration shortest, Duration longest);

    /** What a handler's failure means. Default: trouble with the database that passes is an outage, everything else is retried. */
    SubscriptionBuilder errors(Function<Throwable, Verdict> classifier);

    /** For projections: transactions of the application's own transaction manager. Default: the connections Baton was opened with. */
    SubscriptionBuilder transactions(Transactions own);

    /**
     * Which version of a projection this is. One that is not the live target yet catches up beside it, from the start, until it is
     * switched over.
     */
    SubscriptionBuilder target(String version);

    /** Handles each message in the transaction that moves the checkpoint: exactly once. */
    SubscriptionBuilder project(Projection projection);

    /** Handles all messages of a batch in one call, in the transaction that moves the checkpoint. */
    SubscriptionBuilder projectBatches(BatchProjection projection);

    /** As {@link #projectBatches}, and each batch is of one key. */
    SubscriptionBuilder projectKeyBatches(BatchProjection projection);

    /** Handles each message outside any transaction: at least once. */
    SubscriptionBuilder react(Reaction reaction);

    /** Handles all messages of a batch in one call, outside any transaction. */
    SubscriptionBuilder reactToBatches(BatchReaction reaction);

    /** As {@link #reactToBatches}, and each batch is of one key. */
    SubscriptionBuilder reactToKeyBatches(BatchReaction reaction);

    /** Makes this a relay. The publisher remains the caller's, to be closed after the subscription. */
    SubscriptionBuilder publish(Publisher publisher);

    /** Makes this a relay whose messages are there exactly once. The publisher remains the caller's, to be closed after the subscription. */
    SubscriptionBuilder publish(TransactionalPublisher publisher);

    /**
     * Joins, and returns when the subscription runs; its first messages may be handled before.
     *
     * @throws SubscriptionException if it exists with other settings, or is taken
     */
    Subscription start();
}
