package org.pgbaton.drain;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.Call;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.PostponedKey;
import org.pgbaton.log.Message;
import org.pgbaton.session.Failpoint;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.WorkContext;
import org.pgbaton.work.WorkSql;

/**
 * Goes on with some keys of one lane that were set aside, together: their first messages, each key's in order, from what was recorded when
 * they were passed over; the log is not scanned. What was handled, and what failed, is recorded in one transaction. Meanwhile the lane goes
 * on with other keys, so only the epoch is checked, not the position. Only the lane's owner drains.
 *
 * <p>Protocol: what became of calls that outlived an earlier round is collected. Then the heads of the other keys are read, handled as the
 * handler wants it, and all of it is settled under the fence. A key whose messages are all handled is recovered. Nothing is begun once the
 * round takes longer than a slow key may: others want their turn.
 *
 * <p>Belongs to one thread.
 */
abstract class DrainRound {
    final WorkContext work;
    final SubscriptionOptions options;
    final Lane lane;
    final HandlerWatch watch;
    final Map<String, KeyDrain> drains = new LinkedHashMap<>();
    private final long begun;
    /** An outage, or a wish to pause, that ends the round for all. */
    @Nullable
    UnitFailed outage;

    DrainRound(WorkContext work, Lane lane, List<AsideKey> keys, HandlerWatch watch) {
        this.work = work;
        this.options = work.options();
        this.lane = lane;
        this.watch = watch;
        this.begun = work.now();
        int each = Math.max(1, options.batch() / keys.size());
        for (AsideKey key : keys) {
            drains.put(key.key(), new KeyDrain(key, key.most() == 0 ? each : Math.min(key.most(), each)));
        }
    }

    /** Handles what waits of these keys, and settles. */
    abstract void handle(Collection<KeyDrain> open) throws Exception;

    /** @return what comes next for each key */
    public Map<AsideKey, AfterDrain> run() throws Exception {
        List<KeyDrain> open = new ArrayList<>();
        for (KeyDrain drain : drains.values()) {
            if (!collect(drain)) {
                open.add(drain);
            }
        }
        if (!open.isEmpty() && goesOn()) {
            handle(open);
        } else {
            settleAlone();
        }
        UnitFailed stop = drains.values().stream()
                .map(drain -> drain.failure)
                .filter(failure -> failure != null && failure.verdict() == Verdict.STOP)
                .findFirst()
                .orElse(null);
        if (stop != null) {
            throw stop;
        }
        Map<AsideKey, AfterDrain> nexts = new HashMap<>();
        drains.values().forEach(drain -> nexts.put(drain.aside(), drain.next(options, outage)));
        return nexts;
    }

    /**
     * Takes in the outcome of a call that an earlier round did not wait for.
     *
     * @return whether the key has had its turn by that
     */
    private boolean collect(KeyDrain drain) {
        Call call = drain.aside().running();
        if (call == null || (call.isDone() && !call.isFor(lane))) {
            return false; // the outcome of a call of another tenure does not count here
        }
        drain.slow = true;
        if (!call.isDone()) {
            drain.running = call;
            hurry(drain, call);
        } else {
            drain.waiting.addAll(call.unit());
            drain.handled.addAll(call.handled());
            drain.failure = call.failure() == null ? null : call.failed(options);
        }
        return true;
    }

    /**
     * Interrupts a call that is over its limit; if that does not help, the lane gets another epoch. A target that answers nobody is waited
     * for.
     */
    private void hurry(KeyDrain drain, Call call) {
        long over = work.now() - call.since() - options.limit().toNanos();
        if (!call.isFor(lane) || over < 0 || isSilentSince(call)) {
            return;
        }
        if (!call.isInterrupted()) {
            call.interrupt();
        } else if (over > HandlerWatch.GRACE.toNanos()) {
            call.giveUp();
            lane.leave(); // whoever has it next gets a higher epoch
            drain.running = null;
            drain.failure = UnitFailed.tooLate(call.unit(), null, options);
        }
    }

    private boolean isSilentSince(Call call) {
        return options.handling().publisher() != null && work.answers().isSilentSince(call.since());
    }

    boolean goesOn() {
        return lane.mayGoOnDraining() && !work.calls().isStopping();
    }

    boolean isLongEnough() {
        return work.now() - begun > options.slow().toNanos();
    }

    KeyDrain drainOf(Message message) {
        return Objects.requireNonNull(drains.get(message.key()), "a key that was not asked for");
    }

    /** Reads the first messages that wait of each key. */
    void readHeads(Connection connection, Collection<KeyDrain> open) throws SQLException {
        WorkSql.Heads heads = work.sql()
                .heads(
                        connection,
                        open.stream().map(KeyDrain::key).toList(),
                        open.stream().map(drain -> drain.most).toList());
        heads.messages().forEach(message -> drainOf(message).waiting.add(message));
        for (KeyDrain drain : open) {
            drain.isAll = !heads.isCut() && drain.waiting.size() < drain.most;
            drain.endBeforeUnreadable();
        }
    }

    void readHeads(Collection<KeyDrain> open) {
        work.transactions().ask("read what waits for " + options, connection -> {
            readHeads(connection, open);
            return true;
        });
    }

    /** In a transaction of its own; in none if there is nothing to record. */
    void settleAlone() throws Exception {
        if (hasSomethingToSettle()) {
            work.transactions()
                    .run(connection -> settle(connection, work.transactions().beginWork(connection, lane)));
            settled();
        }
    }

    boolean hasSomethingToSettle() {
        return !handled().isEmpty() || !postponed().isEmpty();
    }

    /** Records, under the fence, which messages do not wait any more, and which keys wait longer. */
    void settle(Connection connection, String token) throws SQLException {
        List<Message> handled = handled();
        Failpoint.BEFORE_SETTLE.pass();
        try {
            work.sql().fence(connection, token, lane);
        } catch (SQLException failed) {
            throw handled.isEmpty() ? failed : UnitFailed.ifLeftFailed(handled, failed);
        }
        if (!handled.isEmpty()
                && work.sql().forget(connection, handled) != handled.size()
                && options.handling().isProjection()) {
            throw new SQLException("an operator skipped a message while it was handled", "40001");
        }
        List<PostponedKey> postponed = postponed();
        if (!postponed.isEmpty()) {
            work.sql().postpone(connection, postponed);
        }
    }

    /** It is committed. */
    void settled() {
        work.counters().addHandled(handled().size());
        for (KeyDrain drain : drains.values()) {
            if (drain.failure != null && drain.failure.verdict() != Verdict.LATER) {
                work.counters().addFailure();
            }
        }
    }

    private List<Message> handled() {
        List<Message> all = new ArrayList<>();
        drains.values().forEach(drain -> all.addAll(drain.handled));
        return all;
    }

    private List<PostponedKey> postponed() {
        List<PostponedKey> all = new ArrayList<>();
        for (KeyDrain drain : drains.values()) {
            PostponedKey failure = drain.next(options, outage).failure();
            if (failure != null) {
                all.add(failure);
            }
        }
        return all;
    }
}
