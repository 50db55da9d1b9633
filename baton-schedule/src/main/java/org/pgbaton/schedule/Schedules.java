package org.pgbaton.schedule;

import java.time.ZoneOffset;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Leadership;

/**
 * Duties that are due at certain times. However many processes start a schedule, one of them runs it.
 *
 * <p>Guarantee: each due time is run at most once, over all processes that use the same database and schema. The database's
 * clock decides what is due.
 *
 * <p>Protocol:
 *
 * <ol>
 *   <li>Each process is a candidate for the leadership with the name of the schedule. The leader works, the others stand by.
 *   <li>The leader writes expression and zone into the schedule's row, and waits until the next due time of the row has come.
 *   <li>It claims the due time. One transaction, under the guard of the term, moves the row on to the next due time and
 *       records the run. Only if it commits, the duty is performed.
 *   <li>It records the end of the run, under the guard again.
 * </ol>
 *
 * <p>A process that dies between 3 and 4 takes its run with it: that due time is not run again. This object holds nothing; schedules that
 * it started end with their {@link Baton}. Thread-safe.
 *
 * <pre>{@code
 * Schedule nightly = Schedules.of(baton)
 *         .schedule("nightly")
 *         .cron("0 3 * * *", ZoneId.of("Europe/Berlin"))
 *         .run((term, due) -> writeReport(term));
 * nightly.close(); // when the application ends
 * }</pre>
 */
public final class Schedules {
    private final Baton baton;

    private Schedules(Baton baton) {
        this.baton = baton;
    }

    /** The schedules of that database and schema. */
    public static Schedules of(Baton baton) {
        return new Schedules(baton);
    }

    /**
     * A schedule, to be told when it is due, and started. Nothing happens until then.
     *
     * @param name 1 to 200 characters; also the name of its leadership
     * @throws org.pgbaton.leadership.LeadershipNameException if no leadership can have this name
     */
    public ScheduleBuilder schedule(String name) {
        Leadership.requireName(name);
        return new ScheduleBuilder(baton, name);
    }

    /** Every schedule of the database: when it is due next, and how the last run ended. Asks the database. */
    public List<ScheduleStatus> status() {
        return ScheduleStatusSql.read(baton);
    }

    /**
     * Checks an expression without starting anything.
     *
     * @throws CronException if it is malformed, or never due
     */
    public static void requireCron(String expression) {
        DueTimes.of(expression, ZoneOffset.UTC);
    }
}
