package org.pgbaton.handling;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.BatchProjection;
import org.pgbaton.subscription.BatchReaction;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Projection;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Reaction;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.TransactionalPublisher;
import org.pgbaton.subscription.Transactions;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.table.LogTable;

/**
 * Collects and checks the options of a subscription, and starts it. Not thread-safe.
 */
public final class OptionsBuilder implements SubscriptionBuilder {
    private static final int BATCH = 500;
    private static final int LARGEST_BATCH = 5000;
    private static final int BATCH_WITH_TRANSACTIONS = 5000;

    private final Function<String, LogTable> findLog;
    private final Function<SubscriptionOptions, Subscription> starter;
    private final String name;
    private @Nullable String log;
    private String target = "";
    private MessageOrder order = MessageOrder.PER_KEY;
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
    private Function<Throwable, Verdict> errors = FailureVerdicts::byDefault;
    private @Nullable Handling handling;

    /**
     * @param findLog finds a log by its name
     * @param starter starts what was described
     */
    public OptionsBuilder(
            Function<String, LogTable> findLog, Function<SubscriptionOptions, Subscription> starter, String name) {
        if (name.isBlank() || name.length() > 200) {
            throw new IllegalArgumentException("'" + name.substring(0, Math.min(40, name.length()))
                    + "' cannot name a subscription: give 1 to 200 characters.");
        }
        this.findLog = findLog;
        this.starter = starter;
        this.name = name;
    }

    @Override
    public SubscriptionBuilder on(String logName) {
        this.log = Objects.requireNonNull(logName, "logName");
        return this;
    }

    @Override
    public SubscriptionBuilder order(MessageOrder wanted) {
        this.order = Objects.requireNonNull(wanted, "wanted");
        return this;
    }

    @Override
    public SubscriptionBuilder from(Start begin) {
        this.start = Objects.requireNonNull(begin, "begin");
        return this;
    }

    @Override
    public SubscriptionBuilder types(String... wanted) {
        this.types = List.of(wanted);
        return this;
    }

    @Override
    public SubscriptionBuilder keyPrefix(String prefix) {
        this.keyPrefix = Objects.requireNonNull(prefix, "prefix");
        return this;
    }

    @Override
    public SubscriptionBuilder batch(int rows) {
        this.batch = within("A batch of " + rows, rows, 1, 100_000, BATCH);
        return this;
    }

    @Override
    public SubscriptionBuilder workers(int number) {
        this.workers = within(number + " workers", number, 1, 1024, 4);
        return this;
    }

    @Override
    public SubscriptionBuilder executor(Executor threads) {
        this.executor = Objects.requireNonNull(threads, "threads");
        return this;
    }

    @Override
    public SubscriptionBuilder mode(InstanceMode instances) {
        this.mode = Objects.requireNonNull(instances, "instances");
        return this;
    }

    @Override
    public SubscriptionBuilder handlerLimit(Duration longest) {
        this.limit = positive("A handler limit", longest, Duration.ofSeconds(30));
        return this;
    }

    @Override
    public SubscriptionBuilder slowKey(Duration patience) {
        this.slow = positive("A patience with slow keys", patience, Duration.ofSeconds(1));
        return this;
    }

    @Override
    public SubscriptionBuilder attempts(int number) {
        this.attempts = within(number + " attempts", number, 1, 1_000_000, 5);
        return this;
    }

    @Override
    public SubscriptionBuilder backoff(Duration shortest, Duration longest) {
        this.shortestPause = positive("A shortest pause", shortest, Duration.ofMillis(100));
        this.longestPause = positive("A longest pause", longest, Duration.ofMinutes(5));
        return this;
    }

    @Override
    public SubscriptionBuilder errors(Function<Throwable, Verdict> classifier) {
        this.errors = Objects.requireNonNull(classifier, "classifier");
        return this;
    }

    @Override
    public SubscriptionBuilder transactions(Transactions own) {
        this.transactions = Objects.requireNonNull(own, "own");
        return this;
    }

    @Override
    public SubscriptionBuilder target(String version) {
        if (version.length() > 200) {
            throw new IllegalArgumentException("A target has at most 200 characters.");
        }
        this.target = version;
        return this;
    }

    @Override
    public SubscriptionBuilder project(Projection projection) {
        return handling(Handling.projection(projection));
    }

    @Override
    public SubscriptionBuilder projectBatches(BatchProjection projection) {
        return handling(Handling.projection(Handling.Grain.BATCH, projection));
    }

    @Override
    public SubscriptionBuilder projectKeyBatches(BatchProjection projection) {
        return handling(Handling.projection(Handling.Grain.KEY, projection));
    }

    @Override
    public SubscriptionBuilder react(Reaction reaction) {
        return handling(Handling.reaction(reaction));
    }

    @Override
    public SubscriptionBuilder reactToBatches(BatchReaction reaction) {
        return handling(Handling.reaction(Handling.Grain.BATCH, reaction));
    }

    @Override
    public SubscriptionBuilder reactToKeyBatches(BatchReaction reaction) {
        return handling(Handling.reaction(Handling.Grain.KEY, reaction));
    }

    @Override
    public SubscriptionBuilder publish(Publisher publisher) {
        return handling(Handling.publisher(publisher));
    }

    @Override
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

    @Override
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
        int standard = handling.transactional() == null ? BATCH : BATCH_WITH_TRANSACTIONS;
        // A publisher sends all keys of a batch at the same time. Batches grow only if it has a measure of its own.
        Publisher publisher = handling.publisher();
        int largest = publisher == null || publisher.keepsOrder() ? LARGEST_BATCH : BATCH;
        return starter.apply(new SubscriptionOptions(
                name,
                target,
                findLog.apply(log),
                order,
                start,
                types,
                keyPrefix,
                batch != null ? batch : standard,
                batch != null ? batch : Math.max(standard, largest),
                order == MessageOrder.TOTAL ? 1 : workers,
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
