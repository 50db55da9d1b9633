package org.pgbaton.subscription;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.log.Message;
import org.pgbaton.session.Database;
import org.pgbaton.session.Lease;

/** What batches and drains of one member work with. Thread-safe. */
final class Workshop {
    private static final int MOST_SLOW_KEYS = 10_000;

    final Options options;
    final Database database;
    final int subscription;
    final Lease lease;
    final WorkSql sql;
    final RowReader reader;
    final Counters counters = new Counters();
    final LongSupplier nanos;
    /** Where reactions are called; projections run on the worker's own thread, since transactions belong to threads. */
    final Executor callers;

    /** So many times the patience with a slow key is "lately". */
    private static final int LATELY = 10;

    /** Calls that have not ended, whatever became of the lanes for which they were begun. */
    final Calls calls;

    private final Executor readers;
    private volatile @Nullable Long confirmedAt;
    /** When the target answered anything the last time, and when it began to answer again after a silence. */
    private volatile long answeredAt;

    private volatile long silentUntil;

    /** Keys that took too long lately: their next messages are set aside. */
    final Set<String> slowKeys = ConcurrentHashMap.newKeySet();

    private final Set<Turn> turns = ConcurrentHashMap.newKeySet();
    /** The target was away the last time: one message first, then the others. */
    private volatile boolean probing;
    /** No new unit is begun. */
    volatile boolean stopping;

    Workshop(
            Options options,
            Database database,
            int subscription,
            Lease lease,
            LongSupplier nanos,
            Executor callers,
            Executor readers) {
        this.options = options;
        this.database = database;
        this.subscription = subscription;
        this.lease = lease;
        this.nanos = nanos;
        this.answeredAt = nanos.getAsLong();
        this.silentUntil = answeredAt;
        this.calls = new Calls(options.isTotal());
        this.callers = callers;
        this.readers = readers;
        this.sql = new WorkSql(database.schema(), options.log().sequence());
        this.reader = new RowReader(options, database.schema());
    }

    Call prepare(List<Message> unit, Lane lane, int attempt) {
        return new Call(unit, lane, calls, delivery(lane, attempt));
    }

    Delivery delivery(Lane lane, int attempt) {
        return new Delivery(
                options.name(),
                options.target(),
                lane.tenure.epoch(),
                attempt,
                () -> !lane.gone && lane.tenure.isTrusted());
    }

    /** Calls a reaction for one unit after the other, on a thread of its own. */
    Turn begin(List<Call> calls, Predicate<List<Message>> goesOn) {
        Turn turn = new Turn(calls, goesOn, nanos);
        turns.add(turn);
        try {
            callers.execute(() -> {
                try {
                    turn.run(options.handling());
                } finally {
                    turns.remove(turn);
                }
            });
        } catch (RuntimeException | Error refused) {
            turns.remove(turn);
            throw refused;
        }
        return turn;
    }

    /** Hands a message to the publisher; returns before it has confirmed. */
    void publish(Call call, Publisher publisher) {
        call.publish(publisher, nanos.getAsLong());
        call.whenDone(() -> {
            long now = nanos.getAsLong();
            if (now - answeredAt > options.slow().toNanos() / 2) {
                silentUntil = now;
            }
            answeredAt = now;
            if (call.failure() == null) {
                confirmedAt = now;
            }
        });
    }

    /** Whether nobody has been answered for half as long as a slow key is waited for. */
    boolean isSilent() {
        return nanos.getAsLong() - answeredAt > options.slow().toNanos() / 2;
    }

    /** Whether nobody has been answered since this was published. */
    boolean isSilentSince(Call call) {
        return options.handling().publisher() != null && answeredAt - call.since() < 0;
    }

    /** Until when nobody was answered; whoever was waited for before that gets time from then on. */
    long silentUntil() {
        return silentUntil;
    }

    /** Whether the target has confirmed anything lately: then it is not the target that is slow. */
    boolean hasConfirmedLately() {
        Long at = confirmedAt;
        return at != null && nanos.getAsLong() - at < options.slow().toNanos() * LATELY;
    }

    /** Calls a projection, on this thread. */
    void apply(List<Message> unit, Lane lane, Connection connection, Connection guarded, Running running) {
        running.begin(unit, connection, nanos.getAsLong());
        Throwable failure = prepare(unit, lane, 1).apply(options.handling(), guarded);
        if (running.end()) {
            throw tooLate(unit, failure);
        }
        if (failure != null) {
            throw failed(unit, failure);
        }
    }

    UnitFailed failed(List<Message> unit, Throwable failure) {
        return new UnitFailed(unit, verdictOn(failure), describe(failure), failure);
    }

    UnitFailed tooLate(List<Message> unit, @Nullable Throwable failure) {
        return new UnitFailed(
                unit,
                Verdict.RETRY,
                "The handler took longer than its limit of " + options.limit().toSeconds() + " s, and was interrupted.",
                failure == null ? new IllegalStateException("too late") : failure);
    }

    /** In a READ COMMITTED transaction of its own, begun after the look that gave the frontier, on the server where the lanes are ours. */
    RowReader.Rows read(Claim claim, long after) {
        Database.Work<RowReader.Rows> reading = connection -> reader.read(connection, claim, after);
        String doing = "read for " + options;
        return reader.isLight() ? database.ask(doing, reading) : database.call(doing, reading);
    }

    /** Moves checkpoints, and nothing else: one statement in one round trip. */
    void closeAtOnce(Map<Lane, Long> reached) {
        database.ask("work for " + options, connection -> {
            sql.closeAtOnce(connection, UUID.randomUUID().toString(), leaseMillis(), reached);
            return true;
        });
    }

    /** Reads what comes next while what came before is handled. */
    CompletableFuture<RowReader.Rows> readAhead(Claim claim, long after) {
        CompletableFuture<RowReader.Rows> answer = new CompletableFuture<>();
        readers.execute(() -> {
            try {
                answer.complete(read(claim, after));
            } catch (Throwable failed) {
                answer.completeExceptionally(failed);
            }
        });
        return answer;
    }

    boolean isProbing() {
        return probing;
    }

    void setProbing(boolean targetIsAway) {
        probing = targetIsAway;
    }

    /** How many threads are at a reaction. */
    int turns() {
        return turns.size();
    }

    boolean isCalling() {
        return !turns.isEmpty() || !calls.isEmpty();
    }

    void interruptCalls() {
        turns.forEach(Turn::interrupt);
        calls.all().forEach(Call::interrupt);
    }

    /** A key that took too long; its next messages are set aside. Not for ever: a key that is slow will be slow again. */
    void slow(String key) {
        if (slowKeys.size() >= MOST_SLOW_KEYS) {
            slowKeys.clear();
        }
        slowKeys.add(key);
    }

    /** Reactions that are over their limit, each with its stack. */
    List<String> overdue() {
        long now = nanos.getAsLong();
        return calls.all().stream()
                .filter(call -> !call.isDone() && !options.handling().isProjection())
                .distinct()
                .filter(call -> now - call.since() > options.limit().toNanos())
                .map(call -> call.describe(now))
                .toList();
    }

    /** A transaction for a handler that writes: the application's own, if it has a transaction manager. */
    void inHandlersTransaction(Transactions.Work work) throws Exception {
        Transactions own = options.transactions();
        if (own != null) {
            own.run(work);
        } else {
            inTransaction(work);
        }
    }

    /** A transaction of Baton's own. */
    void inTransaction(Transactions.Work work) throws Exception {
        try {
            database.callWithThem("work for " + options, connection -> {
                try {
                    work.on(connection);
                    return true;
                } catch (SQLException | RuntimeException asItIs) {
                    throw asItIs;
                } catch (Exception theirs) {
                    throw new Carrier(theirs);
                }
            });
        } catch (Carrier carrier) {
            throw carrier.carried;
        }
    }

    /** The same under the lane's epoch: if the lane is not ours any more, nothing is done. */
    void inFencedTransaction(Lane lane, Transactions.Work work) throws Exception {
        inTransaction(connection -> {
            sql.fence(connection, begin(connection, lane), leaseMillis(), lane);
            work.on(connection);
        });
    }

    /** Carries what a handler throws through a method that does not declare it. */
    private static final class Carrier extends BatonException {
        private static final long serialVersionUID = 1L;
        final Exception carried;

        Carrier(Exception carried) {
            super("the handler failed", carried);
            this.carried = carried;
        }
    }

    String begin(Connection connection, Lane lane) throws SQLException {
        return begin(connection, List.of(lane));
    }

    /**
     * The first statement of every transaction that works for lanes: on the server, and in the history, in which they are ours.
     *
     * @return the token with which this transaction is to be closed
     */
    String begin(Connection connection, Collection<Lane> lanes) throws SQLException {
        String token = UUID.randomUUID().toString();
        WorkSql.Begun begun = sql.begin(connection, options.limit().plus(GRACE).toMillis(), token, lanes);
        for (Lane lane : lanes) {
            lane.requireHistory(begun.timeline());
        }
        if (!begun.isolation().equals("read committed")) {
            throw new DatabaseException(
                    Fault.UNSUITABLE,
                    "The transactions of " + options + " are " + begun.isolation()
                            + ", and an older snapshot would miss messages: use " + "READ COMMITTED for them.");
        }
        return token;
    }

    /** How long a handler that was interrupted gets to return. */
    static final Duration GRACE = Duration.ofSeconds(5);

    long leaseMillis() {
        return lease.length().toMillis();
    }

    Verdict verdictOn(Throwable failure) {
        return failure instanceof HandlerException theirs
                ? theirs.verdict()
                : options.errors().apply(failure);
    }

    static String describe(Throwable failure) {
        String text = failure instanceof BatonException && failure.getMessage() != null
                ? failure.getMessage()
                : failure.toString();
        String clean = text.replace('\0', ' ');
        return clean.length() <= 2000 ? clean : clean.substring(0, 2000) + "…";
    }
}
