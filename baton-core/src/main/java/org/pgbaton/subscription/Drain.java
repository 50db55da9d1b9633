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
 * Goes on with a key that was set aside, in a relay with transactions: its messages, in order, from what was recorded when they were
 * passed over; the log is not scanned. Meanwhile the lane goes on with other keys, so only the epoch is checked, not the position. Only the
 * lane's owner drains. Other handlers are drained in {@linkplain Round rounds}, several keys at a time.
 */
final class Drain {
    /** What is recorded before the target's transaction passes over it is waited for so long. */
    private static final Duration SOON = Duration.ofMillis(50);

    private static final String HEADS = """
            SELECT %s FROM %s
             WHERE position OPERATOR(pg_catalog.=) ANY (ARRAY(
               SELECT m.position FROM ${schema}.parked_message m JOIN ${schema}.parked p ON p.id OPERATOR(pg_catalog.=) m.parked
                WHERE p.subscription OPERATOR(pg_catalog.=) ? AND p.key OPERATOR(pg_catalog.=) ? AND m.position OPERATOR(pg_catalog.<=) ?
                ORDER BY m.position LIMIT ?))
             ORDER BY position""";

    private final Workshop shop;
    private final Options options;
    private final Lane lane;
    private final Parked parked;
    private final String heads;
    private @Nullable UnitFailed failure;

    Drain(Workshop shop, Lane lane, Parked parked) {
        this.shop = shop;
        this.options = shop.options;
        this.lane = lane;
        this.parked = parked;
        this.heads = shop.database
                .schema()
                .in(HEADS.formatted(MessageRow.COLUMNS, options.log().table()));
    }

    Next run() throws Exception {
        int most = options.batch();
        int attempts = parked.attempts;
        while (!lane.gone && !lane.leaving && !lane.surplus && !shop.stopping && lane.tenure.isTrusted()) {
            failure = null;
            List<Message> unit = feed(most);
            if (unit.isEmpty()) {
                return hasMore() ? Next.again(SOON, 0) : Next.recovered(false);
            } else if (failure != null && !isHead(failure, unit)) {
                most = Math.max(1, failure.at()); // those before it, or one by one to find it
            } else if (failure != null) {
                return postpone(Next.failed(failure, parked.key, attempts, options));
            } else {
                attempts = 0;
                shop.counters.handled.add(unit.size());
            }
        }
        return Next.again(Duration.ZERO, 0);
    }

    /** What the target has not passed over yet is recorded already, perhaps. */
    private boolean hasMore() {
        return shop.database.ask(
                "look whether anything waits for " + options,
                connection -> shop.sql.hasMessages(connection, shop.subscription, lane, parked.key));
    }

    private Next postpone(Next failed) throws Exception {
        WorkSql.Postponed postponed = failed.failure();
        if (postponed != null) {
            shop.inFencedTransaction(
                    lane, connection -> shop.sql.postpone(connection, shop.subscription, List.of(postponed)));
            if (postponed.error() != null) {
                shop.counters.failures.increment();
            }
        }
        return failed;
    }

    private static boolean isHead(UnitFailed failed, List<Message> unit) {
        return failed.isAboutTheFirst()
                && failed.unit.get(0).position() == unit.get(0).position();
    }

    /**
     * With a mark of its own: the key is behind the group's. What the target has already is never read again.
     *
     * @return what was handled, or failed together; empty if nothing waits
     */
    private List<Message> feed(int most) throws Exception {
        settleWhatTheTargetHas();
        List<Message> unit = new ArrayList<>();
        shop.inTransaction(connection -> unit.addAll(heads(connection, most)));
        if (unit.isEmpty()) {
            return unit;
        }
        if (unit.get(0).unreadable() != null) {
            failure = UnitFailed.unreadable(unit.get(0));
            return unit;
        }
        long end = firstUnreadable(unit);
        unit.removeIf(message -> message.position() >= end);
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

    private static long firstUnreadable(List<Message> unit) {
        return unit.stream()
                .filter(message -> message.unreadable() != null)
                .mapToLong(Message::position)
                .min()
                .orElse(Long.MAX_VALUE);
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
                    messages.add(MessageRow.readOrExcuse(
                            rows, connection, options.log().table()));
                    weight += messages.get(messages.size() - 1).payload().length;
                }
            }
        }
        return messages;
    }
}
