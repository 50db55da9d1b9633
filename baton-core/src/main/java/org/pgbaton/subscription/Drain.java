package org.pgbaton.subscription;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.log.MessageRow;

/**
 * Goes on with a key that was set aside: its messages, in order, from what was recorded when they were passed over; the log is not
 * scanned. Meanwhile the lane goes on with other keys, so only the epoch is checked, not the position. Only the lane's owner drains.
 */
final class Drain {
    enum End {
        /** Nothing is left; the key can be unparked, if nothing more was passed over meanwhile. */
        EMPTY,
        /** The head failed; its key waits, or waits for good. */
        POSTPONED
    }

    private static final String HEADS = """
            SELECT %s FROM %s
             WHERE position = ANY (ARRAY(
               SELECT m.position FROM ${schema}.parked_message m JOIN ${schema}.parked p ON p.id = m.parked
                WHERE p.subscription = ? AND p.key = ? AND m.position <= ? ORDER BY m.position LIMIT ?))
             ORDER BY position""";

    private final Workshop shop;
    private final Options options;
    private final Lane lane;
    private final Parked parked;
    private final Running running;
    private final String heads;
    private @Nullable UnitFailed failure;

    Drain(Workshop shop, Lane lane, Parked parked, Running running) {
        this.shop = shop;
        this.options = shop.options;
        this.lane = lane;
        this.parked = parked;
        this.running = running;
        this.heads = shop.database
                .schema()
                .in(HEADS.formatted(MessageRow.COLUMNS, options.log().table()));
    }

    End run() throws Exception {
        int most = options.batch();
        Call slow = parked.inFlight;
        parked.inFlight = null;
        if (slow != null) {
            settle(slow);
            if (failure != null && failure.isAboutTheFirst()) {
                postpone(failure);
                return End.POSTPONED;
            }
            most = failure == null ? most : Math.max(1, failure.at());
        }
        boolean wasSlow = slow != null;
        while (!lane.gone && !lane.leaving && !shop.stopping && lane.tenure.isTrusted()) {
            long start = shop.nanos.getAsLong();
            failure = null;
            List<Message> unit = handle(most);
            wasSlow |= shop.nanos.getAsLong() - start > options.slow().toNanos();
            if (unit.isEmpty()) {
                if (!wasSlow) {
                    shop.slowKeys.remove(parked.key);
                }
                return End.EMPTY;
            } else if (failure != null && !isHead(failure, unit)) {
                most = Math.max(1, failure.at()); // those before it, or one by one to find it
            } else if (failure != null) {
                postpone(failure);
                return End.POSTPONED;
            } else {
                parked.attempts = 0;
                parked.outage = null;
                shop.counters.handled.add(unit.size());
            }
        }
        return End.POSTPONED;
    }

    private static boolean isHead(UnitFailed failed, List<Message> unit) {
        return failed.isAboutTheFirst()
                && failed.unit.get(0).position() == unit.get(0).position();
    }

    /** @return what was handled, or failed together; empty if nothing waits */
    private List<Message> handle(int most) throws Exception {
        if (options.handling().isProjection()) {
            return project(most);
        }
        return lane.hasFeed() ? feed(most) : react(most);
    }

    /** With a mark of its own: the key is behind the group's. What the target has already is never read again. */
    private List<Message> feed(int most) throws Exception {
        settleWhatTheTargetHas();
        List<Message> unit = new ArrayList<>();
        shop.inTransaction(connection -> unit.addAll(heads(connection, most)));
        if (unit.isEmpty()) {
            return unit;
        }
        try {
            lane.feed().publishOf(parked.key, unit, shop.delivery(lane, parked.attempts + 1));
        } catch (FeedException failed) {
            lane.leaving |= failed.kind() == FeedException.Kind.LOST;
            Message troubled = failed.troubled();
            failure = new UnitFailed(
                    troubled == null ? unit : List.of(troubled), failed.verdict(), Workshop.describe(failed), failed);
            return unit;
        }
        settleWhatTheTargetHas();
        return unit;
    }

    /** However many of them still wait: an operator may have skipped one meanwhile, and the target has it all the same. */
    private void settleWhatTheTargetHas() throws Exception {
        long upTo = lane.feed().unsettled(parked.key);
        if (upTo > 0) {
            shop.inFencedTransaction(
                    lane, connection -> shop.sql.forgetUpTo(connection, shop.subscription, parked.key, upTo));
            lane.feed().settled(parked.key, upTo);
        }
    }

    private List<Message> project(int most) throws Exception {
        List<Message> unit = new ArrayList<>();
        try {
            shop.inHandlersTransaction(connection -> {
                String token = shop.begin(connection, lane);
                unit.addAll(heads(connection, most));
                if (unit.isEmpty()) {
                    return;
                }
                Connection guarded = HandlerConnection.around(connection);
                for (List<Message> each : options.handling().unitsOfOneKey(unit, false)) {
                    shop.apply(each, connection, guarded, running);
                }
                settle(connection, token, unit);
            });
            return unit;
        } catch (Exception thrown) {
            UnitFailed failed = UnitFailed.in(thrown);
            if (failed == null) {
                throw thrown;
            }
            if (failed.verdict == Verdict.STOP || running.isGivenUp()) {
                throw failed;
            }
            failure = failed;
            return unit;
        }
    }

    /** In one transaction with the fence: these messages do not wait any more. */
    private void settle(Connection connection, String token, List<Message> handled) throws SQLException {
        try {
            shop.sql.fence(connection, token, shop.leaseMillis(), lane);
        } catch (SQLException failed) {
            throw UnitFailed.ifLeftFailed(handled, failed);
        }
        if (shop.sql.forget(connection, shop.subscription, parked.key, handled) != handled.size()) {
            throw new SQLException("an operator skipped a message while it was handled", "40001");
        }
    }

    private List<Message> react(int most) throws Exception {
        List<Message> waiting = new ArrayList<>();
        shop.inTransaction(connection -> waiting.addAll(heads(connection, most)));
        if (waiting.isEmpty()) {
            return waiting;
        }
        if (options.handling().publisher() != null) {
            return publish(waiting);
        }
        List<Message> unit = options.handling().unitsOfOneKey(waiting, false).get(0);
        Call call = shop.prepare(unit, lane, parked.attempts + 1);
        shop.begin(call);
        settle(call);
        return unit;
    }

    /**
     * One after the other, for as long as a slow key is waited for; what was confirmed is settled together. After a crash in between it
     * is sent again, as it is with a batch.
     */
    private List<Message> publish(List<Message> waiting) throws Exception {
        List<Message> confirmed = new ArrayList<>();
        long end = shop.nanos.getAsLong() + options.slow().toNanos();
        for (Message message : waiting) {
            Call call = shop.prepare(List.of(message), lane, parked.attempts + 1);
            shop.begin(call);
            failure = failureOf(call);
            if (failure != null) {
                break;
            }
            confirmed.add(message);
            if (shop.nanos.getAsLong() - end > 0 || lane.gone || shop.stopping || !lane.tenure.isTrusted()) {
                break;
            }
        }
        if (!confirmed.isEmpty()) {
            shop.inTransaction(connection -> settle(connection, shop.begin(connection, lane), confirmed));
        }
        if (failure == null) {
            return confirmed;
        }
        shop.counters.handled.add(confirmed.size());
        if (failure.verdict == Verdict.STOP) {
            throw failure;
        }
        parked.attempts = confirmed.isEmpty() ? parked.attempts : 0;
        return failure.unit;
    }

    private void settle(Call call) throws Exception {
        failure = failureOf(call);
        if (failure == null) {
            shop.inTransaction(connection -> settle(connection, shop.begin(connection, lane), call.unit));
        } else if (failure.verdict == Verdict.STOP) {
            throw failure;
        }
    }

    /** Waits until it has ended, if need be by force. */
    private @Nullable UnitFailed failureOf(Call call) throws InterruptedException {
        if (!call.awaitEnd(options.limit())) {
            call.interrupt();
            if (!call.awaitEnd(Workshop.GRACE)) {
                lane.leaving = true; // whoever has it next gets a higher epoch
            }
            return shop.tooLate(call.unit, null);
        }
        return call.failure() == null ? null : shop.failed(call.unit, call.failure());
    }

    void postpone(UnitFailed failed) throws Exception {
        boolean nothingWrong = failed.verdict == Verdict.LATER || failed.verdict == Verdict.PAUSE;
        boolean counts = !nothingWrong && failed.verdict != Verdict.OUTAGE;
        int attempts = counts ? parked.attempts + 1 : parked.attempts;
        boolean forGood = failed.verdict == Verdict.PARK || (counts && attempts >= options.attempts());
        Duration pause = nothingWrong ? failed.pause() : options.pauseAfter(counts ? attempts : 6);
        Aside.State state = forGood ? Aside.State.PARKED : nothingWrong ? Aside.State.SLOW : Aside.State.RETRYING;
        if (!nothingWrong) {
            shop.counters.failures.increment();
        }
        shop.inFencedTransaction(lane, connection -> {
            shop.sql.postpone(
                    connection,
                    shop.subscription,
                    parked.key,
                    state.stored(),
                    attempts,
                    nothingWrong ? null : String.valueOf(failed.getMessage()),
                    pause.toMillis());
        });
        parked.attempts = attempts;
        parked.outage = failed.verdict == Verdict.OUTAGE ? failed.getMessage() : null;
        parked.parked = forGood;
        parked.dueAt = shop.nanos.getAsLong() + pause.toNanos();
    }

    private List<Message> heads(Connection connection, int most) throws SQLException {
        List<Message> messages = new ArrayList<>();
        long weight = 0;
        try (PreparedStatement select = connection.prepareStatement(heads)) {
            select.setInt(1, shop.subscription);
            select.setString(2, parked.key);
            select.setLong(3, lane.drainable());
            select.setInt(4, most);
            try (ResultSet rows = select.executeQuery()) {
                while (weight < RowReader.HEAVIEST && rows.next()) {
                    messages.add(MessageRow.read(rows, connection, options.log().table()));
                    weight += messages.get(messages.size() - 1).payload().length;
                }
            }
        }
        return messages;
    }
}
