package org.pgbaton.subscription;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.log.MessageRow;

/**
 * Goes on with some keys of one lane that were set aside, together: their first messages, each key's in order, from what was recorded when
 * they were passed over; the log is not scanned. What was handled, and what failed, is recorded in one transaction. Meanwhile the lane goes
 * on with other keys, so only the epoch is checked, not the position. Only the lane's owner drains.
 *
 * <p>Protocol: what became of calls that outlived an earlier round is collected. Then the heads of the other keys are read, handled as the
 * handler wants it, and all of it is settled under the fence. A key whose messages are all handled is recovered. Nothing is begun once the round takes longer than a slow
 * key may: others want their turn.
 *
 * <p>Belongs to one thread.
 */
abstract class Round {
    /** The least positions of each key. Written so that the planner cannot look at all keys. */
    private static final String HEADS = """
            SELECT %s FROM %s
             WHERE position OPERATOR(pg_catalog.=) ANY (ARRAY(
               SELECT m.position
                 FROM unnest(?::pg_catalog.text[], ?::pg_catalog.int4[]) AS k (key, most)
                CROSS JOIN LATERAL (SELECT id FROM ${schema}.parked
                                     WHERE subscription OPERATOR(pg_catalog.=) ? AND key OPERATOR(pg_catalog.=) k.key LIMIT 1) AS p
                CROSS JOIN LATERAL (SELECT position FROM ${schema}.parked_message
                                     WHERE parked OPERATOR(pg_catalog.=) p.id ORDER BY position LIMIT k.most) AS m))
             ORDER BY position""";

    final Workshop shop;
    final Options options;
    final Lane lane;
    final Running running;
    final Map<String, Course> courses = new LinkedHashMap<>();
    private final String heads;
    private final long begun;
    /** An outage, or a wish to pause, that ends the round for all. */
    @Nullable
    UnitFailed outage;

    Round(Workshop shop, Lane lane, List<Parked> keys, Running running) {
        this.shop = shop;
        this.options = shop.options;
        this.lane = lane;
        this.running = running;
        this.begun = shop.nanos.getAsLong();
        this.heads = shop.database
                .schema()
                .in(HEADS.formatted(MessageRow.COLUMNS, options.log().table()));
        int each = Math.max(1, options.batch() / keys.size());
        for (Parked key : keys) {
            courses.put(key.key, new Course(key, key.most == 0 ? each : Math.min(key.most, each)));
        }
    }

    static Round of(Workshop shop, Lane lane, List<Parked> keys, Running running) {
        Handling handling = shop.options.handling();
        if (handling.isProjection()) {
            return new ProjectionRound(shop, lane, keys, running);
        }
        return handling.publisher() == null
                ? new ReactionRound(shop, lane, keys, running)
                : new RelayRound(shop, lane, keys, running, handling.publisher());
    }

    /** Handles what waits of these keys, and settles. */
    abstract void handle(Collection<Course> open) throws Exception;

    /** @return what comes next for each key */
    Map<Parked, Next> run() throws Exception {
        List<Course> open = new ArrayList<>();
        for (Course course : courses.values()) {
            if (!collect(course)) {
                open.add(course);
            }
        }
        if (!open.isEmpty() && goesOn()) {
            handle(open);
        } else {
            settleAlone();
        }
        UnitFailed stop = courses.values().stream()
                .map(course -> course.failure)
                .filter(failure -> failure != null && failure.verdict == Verdict.STOP)
                .findFirst()
                .orElse(null);
        if (stop != null) {
            throw stop;
        }
        Map<Parked, Next> nexts = new HashMap<>();
        courses.values().forEach(course -> nexts.put(course.parked, course.next(options, outage)));
        return nexts;
    }

    /**
     * A call that was not waited for: what became of it.
     *
     * @return whether the key has had its turn by that
     */
    private boolean collect(Course course) {
        Call call = course.parked.inFlight;
        if (call == null || (call.isDone() && call.lane != lane)) {
            return false; // what became of it in another tenure does not count here
        }
        course.slow = true;
        if (!call.isDone()) {
            course.inFlight = call;
            hurry(course, call);
        } else if (call.failure() != null) {
            course.failure = shop.failed(call.unit, call.failure());
        } else {
            course.waiting.addAll(call.unit);
            course.handled.addAll(call.unit);
        }
        return true;
    }

    /** Over its limit: it is interrupted; if that does not help, the lane gets another epoch. A target that answers nobody is waited for. */
    private void hurry(Course course, Call call) {
        long over = shop.nanos.getAsLong() - call.since() - options.limit().toNanos();
        if (call.lane != lane || over < 0 || shop.isSilentSince(call)) {
            return;
        }
        if (!call.isInterrupted()) {
            call.interrupt();
        } else if (over > Workshop.GRACE.toNanos()) {
            call.giveUp();
            lane.leaving = true; // whoever has it next gets a higher epoch
            course.inFlight = null;
            course.failure = shop.tooLate(call.unit, null);
        }
    }

    boolean goesOn() {
        return !lane.gone && !lane.leaving && !lane.surplus && !shop.stopping && lane.tenure.isTrusted();
    }

    boolean isLongEnough() {
        return shop.nanos.getAsLong() - begun > options.slow().toNanos();
    }

    Course courseOf(Message message) {
        return Objects.requireNonNull(courses.get(message.key()), "a key that was not asked for");
    }

    /** What waits first of each key. */
    void readHeads(Connection connection, Collection<Course> open) throws SQLException {
        long weight = 0;
        try (PreparedStatement select = connection.prepareStatement(heads)) {
            select.setArray(
                    1,
                    connection.createArrayOf(
                            "text",
                            open.stream().map(course -> course.parked.key).toArray()));
            select.setArray(
                    2,
                    connection.createArrayOf(
                            "int4", open.stream().map(course -> course.most).toArray()));
            select.setInt(3, shop.subscription);
            try (ResultSet rows = select.executeQuery()) {
                while (weight < RowReader.HEAVIEST && rows.next()) {
                    Message message = MessageRow.readOrExcuse(
                            rows, connection, options.log().table());
                    courseOf(message).waiting.add(message);
                    weight += message.payload().length;
                }
            }
        }
        for (Course course : open) {
            course.isAll = weight < RowReader.HEAVIEST && course.waiting.size() < course.most;
            course.endBeforeUnreadable();
        }
    }

    void readHeads(Collection<Course> open) {
        shop.database.ask("read what waits for " + options, connection -> {
            readHeads(connection, open);
            return true;
        });
    }

    /** In a transaction of its own; in none if there is nothing to record. */
    void settleAlone() throws Exception {
        if (hasSomethingToSettle()) {
            shop.inTransaction(connection -> settle(connection, shop.begin(connection, lane)));
            settled();
        }
    }

    boolean hasSomethingToSettle() {
        return !handled().isEmpty() || !postponed().isEmpty();
    }

    /** Under the fence: what was handled does not wait any more; what failed waits longer. */
    void settle(Connection connection, String token) throws SQLException {
        List<Message> handled = handled();
        try {
            shop.sql.fence(connection, token, shop.leaseMillis(), lane);
        } catch (SQLException failed) {
            throw handled.isEmpty() ? failed : UnitFailed.ifLeftFailed(handled, failed);
        }
        if (!handled.isEmpty()
                && shop.sql.forget(connection, shop.subscription, handled) != handled.size()
                && options.handling().isProjection()) {
            throw new SQLException("an operator skipped a message while it was handled", "40001");
        }
        List<WorkSql.Postponed> postponed = postponed();
        if (!postponed.isEmpty()) {
            shop.sql.postpone(connection, shop.subscription, postponed);
        }
    }

    /** It is committed. */
    void settled() {
        shop.counters.handled.add(handled().size());
        for (Course course : courses.values()) {
            if (course.failure != null && course.failure.verdict != Verdict.LATER) {
                shop.counters.failures.increment();
            }
        }
    }

    private List<Message> handled() {
        List<Message> all = new ArrayList<>();
        courses.values().forEach(course -> all.addAll(course.handled));
        return all;
    }

    private List<WorkSql.Postponed> postponed() {
        List<WorkSql.Postponed> all = new ArrayList<>();
        for (Course course : courses.values()) {
            WorkSql.Postponed failure = course.next(options, outage).failure();
            if (failure != null) {
                all.add(failure);
            }
        }
        return all;
    }
}
