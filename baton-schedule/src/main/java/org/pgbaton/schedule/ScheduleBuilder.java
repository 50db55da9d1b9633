package org.pgbaton.schedule;

import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;

/** Says when a schedule is due, and starts it. Not thread-safe. */
public final class ScheduleBuilder {
    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(10);

    private final Baton baton;
    private final String name;
    private @Nullable DueTimes times;
    private Missed missed = Missed.SKIP;
    private Duration lease = DEFAULT_LEASE;

    ScheduleBuilder(Baton baton, String name) {
        this.baton = baton;
        this.name = name;
    }

    /**
     * When it is due: minute, hour, day of the month, month, day of the week, in that zone. All processes must say the same; the
     * leader's word counts.
     *
     * <p>When clocks change, an expression with a star in minute or hour is due whenever a clock on the wall shows such a time. Any other
     * is due once for each such time of each day: at the end of the gap if the time is in the gap, and at the first of the two if it
     * comes twice.
     *
     * @throws CronException if the expression is malformed, or never due
     */
    public ScheduleBuilder cron(String expression, ZoneId zone) {
        this.times = DueTimes.of(expression, zone);
        return this;
    }

    /** What happens with due times at which nothing could be run. Default: {@link Missed#SKIP}. */
    public ScheduleBuilder missed(Missed policy) {
        this.missed = policy;
        return this;
    }

    /** How long a frozen or cut-off leader keeps the others from running: 2 s to 1 day, default 10 s. */
    public ScheduleBuilder lease(Duration length) {
        this.lease = length;
        return this;
    }

    /**
     * Starts this process's part: it stands by, and runs the duty when it is due and this process leads. Outages of the database
     * are waited out.
     *
     * @throws IllegalStateException if nobody said when it is due
     * @throws org.pgbaton.leadership.LeadershipNameException if this Baton has a candidate of that name already
     */
    public Schedule run(ScheduledDuty duty) {
        DueTimes due = times;
        if (due == null) {
            throw new IllegalStateException("Schedule '" + name + "' is never due: say when, with cron(…).");
        }
        ScheduleRow row = new ScheduleRow(baton, name);
        return new CandidateSchedule(baton.leadership(name)
                .lease(lease)
                .campaign(new RunWhatIsDue(row, due, missed, Punctuality.of(lease), duty)));
    }
}
