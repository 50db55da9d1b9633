package org.pgbaton.subscription;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.LogTable;

/**
 * A subscription to be: a log, a handler, and options that all have good defaults. Not thread-safe.
 *
 * <pre>{@code
 * baton.subscription("balances").on("events").project((message, connection) -> …).start();
 * }</pre>
 */
public final class SubscriptionBuilder {
    private static final int BATCH = 500;
    private static final int BATCH_WITH_TRANSACTIONS = 5000;

    private final Crew crew;
    private final String name;
    private @Nullable String log;
    private String target = "";
    private Order order = Order.PER_KEY;
    private Start start = Start.origin();
    private List<String> types = List.of();
    private @Nullable String keyPrefix;
    private @Nullable Integer batch;
    private int workers = 4;
    private @Nullable Executor executor;
    private InstanceMode mode = InstanceMode.COORDINATED;
    private Duration limit = Duration.ofSeconds(30);
    private Duration slow = Duration.ofSeconds(1);
    private int attempts = 5;
    private Duration shortestPause = Duration.ofMillis(100);
    private Duration longestPause = Duration.ofMinutes(5);
    private @Nullable Transactions transactions;
    private Function<Throwable, Verdict> errors = Verdicts::byDefault;
    private @Nullable Handling handling;

    SubscriptionBuilder(Crew crew, String name) {
        if (name.isBlank() || name.length() > 200) {
            throw new IllegalArgumentException("'" + name.substring(0, Math.min(40, name.length()))
                    + "' cannot name a subscription: give 1 to 200 characters.");
        }
        this.crew = crew;
        this.name = name;
    }

    /** The log to read. */
    public SubscriptionBuilder on(String logName) {
        this.log = Objects.requireNonNull(logName, "logName");
        return this;
    }

    /** Default: {@link Order#PER_KEY}. */
    public SubscriptionBuilder order(Order wanted) {
        this.order = Objects.requireNonNull(wanted, "wanted");
        return this;
    }

    /** Where to begin, the first time. Default: the origin. */
    public SubscriptionBuilder from(Start begin) {
        this.start = Objects.requireNonNull(begin, "begin");
        return this;
    }

    /** Only messages of these types. */
    public SubscriptionBuilder types(String... wanted) {
        this.types = List.of(wanted);
        return this;
    }

    /** Only messages whose key begins like this. */
    public SubscriptionBuilder keyPrefix(String prefix) {
        this.keyPrefix = Objects.requireNonNull(prefix, "prefix");
        return this;
    }

    /** How many messages are read and closed together. Default 500; 5000 for a publisher with transactions, which cost more than messages. */
    public SubscriptionBuilder batch(int rows) {
        this.batch = within("A batch of " + rows, rows, 1, 100_000, BATCH);
        return this;
    }

    /** How many batches run at the same time in this process, each with a connection of its own. Default 4. */
    public SubscriptionBuilder workers(int number) {
        this.workers = within(number + " workers", number, 1, 1024, 4);
        return this;
    }

    /** Runs handlers on these threads, virtual ones perhaps. Default: threads of Baton's own. */
    public SubscriptionBuilder executor(Executor threads) {
        this.executor = Objects.requireNonNull(threads, "threads");
        return this;
    }

    /** Default: {@link InstanceMode#COORDINATED}. */
    public SubscriptionBuilder mode(InstanceMode instances) {
        this.mode = Objects.requireNonNull(instances, "instances");
        return this;
    }

    /** A handler that takes longer for one call is interrupted. Default 30 s. */
    public SubscriptionBuilder handlerLimit(Duration longest) {
        this.limit = positive("A handler limit", longest, Duration.ofSeconds(30));
        return this;
    }

    /** A key whose handler takes longer is set aside, so that others need not wait. Default 1 s. */
    public SubscriptionBuilder slowKey(Duration patience) {
        this.slow = positive("A patience with slow keys", patience, Duration.ofSeconds(1));
        return this;
    }

    /** After so many failures of one message its key is parked. Default 5. */
    public SubscriptionBuilder attempts(int number) {
        this.attempts = within(number + " attempts", number, 1, 1_000_000, 5);
        return this;
    }

    /** Pauses between attempts, doubling. Default 0.1 s to 5 min. */
    public SubscriptionBuilder backoff(Duration shortest, Duration longest) {
        this.shortestPause = positive("A shortest pause", shortest, Duration.ofMillis(100));
        this.longestPause = positive("A longest pause", longest, Duration.ofMinutes(5));
        return this;
    }

    /** What a handler's failure means. Default: trouble with the database that passes is an outage, everything else is retried. */
    public SubscriptionBuilder errors(Function<Throwable, Verdict> classifier) {
        this.errors = Objects.requireNonNull(classifier, "classifier");
        return this;
    }

    /** For projections: transactions of the application's own transaction manager. Default: the connections Baton was opened with. */
    public SubscriptionBuilder transactions(Transactions own) {
        this.transactions = Objects.requireNonNull(own, "own");
        return this;
    }

    /**
     * Which version of a projection this is. One that is not the live target yet catches up beside it, from the start, until it is
     * switched over.
     */
    public SubscriptionBuilder target(String version) {
        if (version.length() > 200) {
            throw new IllegalArgumentException("A target has at most 200 characters.");
        }
        this.target = version;
        return this;
    }

    public SubscriptionBuilder project(Projection projection) {
        return handling(Handling.projection(Handling.Grain.MESSAGE, (unit, connection) -> {
            for (var message : unit) {
                projection.apply(message, connection);
            }
        }));
    }

    public SubscriptionBuilder projectBatches(BatchProjection projection) {
        return handling(Handling.projection(Handling.Grain.BATCH, projection));
    }

    /** Each batch is of one key. */
    public SubscriptionBuilder projectKeyBatches(BatchProjection projection) {
        return handling(Handling.projection(Handling.Grain.KEY, projection));
    }

    public SubscriptionBuilder react(Reaction reaction) {
        return handling(Handling.reaction(Handling.Grain.MESSAGE, (unit, delivery) -> {
            for (var message : unit) {
                reaction.handle(message, delivery);
            }
        }));
    }

    public SubscriptionBuilder reactToBatches(BatchReaction reaction) {
        return handling(Handling.reaction(Handling.Grain.BATCH, reaction));
    }

    /** Each batch is of one key. */
    public SubscriptionBuilder reactToKeyBatches(BatchReaction reaction) {
        return handling(Handling.reaction(Handling.Grain.KEY, reaction));
    }

    /** Makes this a relay. The publisher remains the caller's, to be closed after the subscription. */
    public SubscriptionBuilder publish(Publisher publisher) {
        return handling(Handling.publisher(publisher));
    }

    /** Makes this a relay whose messages are there exactly once. The publisher remains the caller's, to be closed after the subscription. */
    public SubscriptionBuilder publish(TransactionalPublisher publisher) {
        return handling(Handling.publisher(publisher));
    }

    private SubscriptionBuilder handling(Handling wanted) {
        if (handling != null) {
            throw new IllegalStateException(
                    "Subscription '" + name + "' has a handler already, and can have only one.");
        }
        this.handling = wanted;
        return this;
    }

    /**
     * Joins, and returns when the subscription runs; its first messages may be handled before.
     *
     * @throws SubscriptionException if it exists with other settings, or is taken
     */
    public Subscription start() {
        if (log == null) {
            throw new IllegalStateException("Subscription '" + name + "' has no log: say on(\"events\").");
        }
        if (handling == null) {
            throw new IllegalStateException("Subscription '" + name
                    + "' has no handler: say project(...), react(...) or publish(...), or one of their kin.");
        }
        if (longestPause.compareTo(shortestPause) < 0) {
            throw new IllegalArgumentException("A back-off from " + shortestPause + " to " + longestPause
                    + " makes no sense: the longest is shorter.");
        }
        return crew.start(new Options(
                name,
                target,
                LogTable.named(crew.database(), log),
                order,
                start,
                types,
                keyPrefix,
                batch != null ? batch : handling.transactional() == null ? BATCH : BATCH_WITH_TRANSACTIONS,
                order == Order.TOTAL ? 1 : workers,
                executor,
                mode,
                limit,
                slow,
                attempts,
                shortestPause,
                longestPause,
                transactions,
                errors,
                handling));
    }

    private static int within(String what, int value, int least, int most, int standard) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    what + " makes no sense: give " + least + " to " + most + " (default " + standard + ").");
        }
        return value;
    }

    private static Duration positive(String what, Duration value, Duration standard) {
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(what + " of " + value + " makes no sense: give 1 ms to 1 day (default "
                    + standard.toMillis() / 1000.0 + " s).");
        }
        return value;
    }
}
