package org.pgbaton.schedule;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Term;

/**
 * The row of a schedule, and the rows of its runs.
 *
 * <p>Guarantee: every change is made under the guard of the term, so it commits before the next leader begins, or not at all. Each method
 * is one transaction. The database's clock is {@code schedule_clock()}; nobody asks the clock of the JVM. Thread-safe.
 */
final class ScheduleRow {
    private static final int LONGEST_ERROR = 2000;

    private static final String CLOCK = "SELECT ${schema}.schedule_clock()";

    private static final String ROW = "SELECT cron, zone, last_due FROM ${schema}.schedule WHERE name = ? FOR UPDATE";

    private static final String ADD =
            "INSERT INTO ${schema}.schedule (name, cron, zone, missed, next_due) VALUES (?, ?, ?, ?, ?)";

    private static final String CHANGE =
            "UPDATE ${schema}.schedule SET cron = ?, zone = ?, missed = ?, next_due = ? WHERE name = ?";

    private static final String CHANGE_POLICY = "UPDATE ${schema}.schedule SET missed = ? WHERE name = ?";

    /** Whoever begins a term, or begins again after an outage, performs no duty: what seems to run does not. */
    private static final String GIVE_UP_RUNS =
            "UPDATE ${schema}.schedule_run SET outcome = 'lost' WHERE schedule = ? AND outcome = 'running'";

    private static final String LOOK = """
            SELECT ${schema}.schedule_clock() AS now, s.next_due,
                   (SELECT max(r.ended) FROM ${schema}.schedule_run r WHERE r.schedule = s.name) AS last_end
              FROM ${schema}.schedule s WHERE s.name = ?""";

    /** One can win: whoever comes second finds another next due time. */
    private static final String CLAIM = """
            UPDATE ${schema}.schedule SET last_due = ?, next_due = ?
             WHERE name = ? AND next_due = ? AND next_due <= ? AND ? <= ${schema}.schedule_clock()""";

    private static final String RECORD_START = """
            INSERT INTO ${schema}.schedule_run (schedule, due, epoch, who, started, outcome)
            VALUES (?, ?, ?, ?, ${schema}.schedule_clock(), 'running')""";

    private static final String RECORD_MISSED = """
            INSERT INTO ${schema}.schedule_run (schedule, due, epoch, who, outcome) VALUES (?, ?, ?, ?, 'missed')""";

    private static final String FORGET_OLD_RUNS = """
            DELETE FROM ${schema}.schedule_run
             WHERE schedule = ?
               AND due <= (SELECT r.due FROM ${schema}.schedule_run r WHERE r.schedule = ? ORDER BY r.due DESC OFFSET 100 LIMIT 1)""";

    private static final String RECORD_END = """
            UPDATE ${schema}.schedule_run SET outcome = ?, error = ?, ended = ${schema}.schedule_clock()
             WHERE schedule = ? AND due = ? AND epoch = ? AND outcome = 'running'""";

    private final Baton baton;
    private final String name;

    ScheduleRow(Baton baton, String name) {
        this.baton = baton;
        this.name = name;
    }

    String name() {
        return name;
    }

    /**
     * What the database knows.
     *
     * @param now by the database's clock
     * @param lastEnd when the last run ended; null if none did
     */
    record Look(Instant now, Instant nextDue, @Nullable Instant lastEnd) {}

    /**
     * Begins to run the schedule in this term: writes when it is due, and gives up runs that somebody else left behind. A schedule that is
     * new, or due at other times than before, begins with the next due time.
     */
    void begin(Term term, DueTimes times, Missed missed) {
        baton.transact("begin a schedule", connection -> {
            term.guard(connection);
            Instant now = clock(connection);
            try (PreparedStatement row = prepare(connection, ROW, name);
                    ResultSet known = row.executeQuery()) {
                if (!known.next()) {
                    update(connection, ADD, name, times.expression(), times.zone(), missed.stored(), times.next(now));
                } else if (known.getString("cron").equals(times.expression())
                        && known.getString("zone").equals(times.zone())) {
                    update(connection, CHANGE_POLICY, missed.stored(), name);
                } else {
                    Instant last = Times.instantOrNull(known, "last_due");
                    Instant from = last != null && last.isAfter(now) ? last : now;
                    update(
                            connection,
                            CHANGE,
                            times.expression(),
                            times.zone(),
                            missed.stored(),
                            times.next(from),
                            name);
                }
            }
            update(connection, GIVE_UP_RUNS, name);
            return true;
        });
    }

    /** Nothing if somebody has deleted the row. */
    Optional<Look> look() {
        return baton.transact("see what is due", connection -> {
            try (PreparedStatement statement = prepare(connection, LOOK, name);
                    ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? Optional.of(new Look(
                                Times.instant(row, "now"),
                                Times.instant(row, "next_due"),
                                Times.instantOrNull(row, "last_end")))
                        : Optional.empty();
            }
        });
    }

    /**
     * Claims a due time, and all unclaimed ones before it.
     *
     * @param expected the first due time that nobody has claimed, as far as we know
     * @param due the one that is claimed: this one or a later one
     * @param next the first after it that has not come yet
     * @param run whether it is to be run; otherwise it is recorded as missed
     * @return false if somebody else has claimed it, or if the database's clock says that it has not come yet
     */
    boolean claim(Term term, Instant expected, Instant due, Instant next, boolean run) {
        return baton.transact("claim a due time", connection -> {
            term.guard(connection);
            if (update(connection, CLAIM, due, next, name, expected, due, due) == 0) {
                return false;
            }
            String start = run ? RECORD_START : RECORD_MISSED;
            update(connection, start, name, due, term.epoch(), baton.who());
            update(connection, FORGET_OLD_RUNS, name, name);
            return true;
        });
    }

    /** Records how a run ended that this term has claimed. */
    void end(Term term, Instant due, Outcome outcome, @Nullable String error) {
        baton.transact("record the end of a run", connection -> {
            term.guard(connection);
            return update(connection, RECORD_END, outcome.stored(), storable(error), name, due, term.epoch());
        });
    }

    /** PostgreSQL stores no zero characters, and no halves of characters. */
    private static @Nullable String storable(@Nullable String error) {
        if (error == null) {
            return null;
        }
        String text = error.length() <= LONGEST_ERROR ? error : error.substring(0, LONGEST_ERROR) + "…";
        byte[] whole = text.replace('\0', ' ').getBytes(StandardCharsets.UTF_8);
        return new String(whole, StandardCharsets.UTF_8);
    }

    private Instant clock(Connection connection) throws SQLException {
        try (PreparedStatement statement = prepare(connection, CLOCK);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return Times.instant(row, "schedule_clock");
        }
    }

    private int update(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    private PreparedStatement prepare(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(baton.schema().in(sql));
        for (int i = 0; i < parameters.length; i++) {
            Object parameter = parameters[i];
            if (parameter instanceof Instant at) {
                statement.setObject(i + 1, Times.parameter(at));
            } else if (parameter instanceof Long number) {
                statement.setLong(i + 1, number);
            } else {
                statement.setString(i + 1, (String) parameter);
            }
        }
        return statement;
    }
}
