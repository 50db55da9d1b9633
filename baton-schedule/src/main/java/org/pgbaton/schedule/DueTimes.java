package org.pgbaton.schedule;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When a cron expression is due, as moments in time.
 *
 * <p>The library finds local times, in a calendar without changes of the clock. What such a change means is decided here, because the
 * library's answer depends on when it is asked: it leaves out a day whose time is in a gap, and it gives a repeated time once or twice. The
 * rules are those of Vixie cron:
 *
 * <ul>
 *   <li>With a star at the beginning of minute or hour, it is due whenever a clock on the wall shows such a time: not at times in a gap, and
 *       twice at times that are repeated.
 *   <li>Otherwise a time in a gap is due at the end of the gap, and a repeated time is due the first time only.
 * </ul>
 *
 * <p>Guarantee: {@link #next} is a function of the moment, and of nothing else: whoever asks gets the same sequence. Immutable and
 * thread-safe.
 */
final class DueTimes {
    /** So that {@link #latest} takes few steps, whether it is due each minute or once a year. */
    private static final List<Duration> WINDOWS = List.of(Duration.ofHours(1), Duration.ofDays(1), Duration.ofDays(32));

    private final String expression;
    private final ZoneId zone;
    private final ExecutionTime times;
    private final boolean fixed;

    private DueTimes(String expression, ZoneId zone, ExecutionTime times) {
        this.expression = expression;
        this.zone = zone;
        this.times = times;
        String[] fields = expression.split(" ", -1);
        this.fixed = !fields[0].startsWith("*") && !fields[1].startsWith("*");
    }

    /** @throws CronException if the expression is malformed, or never due */
    static DueTimes of(String expression, ZoneId zone) {
        String plain = expression.strip().replaceAll("\\s+", " ");
        ExecutionTime times;
        try {
            CronParser parser = new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));
            times = ExecutionTime.forCron(parser.parse(plain).validate());
        } catch (IllegalArgumentException wrong) {
            throw new CronException(
                    "'" + shortened(plain) + "' is no cron expression (" + shortened(reason(wrong))
                            + "): give minute, hour, day of the month, month and day of the week, such as '0 3 * * *'.",
                    wrong);
        }
        DueTimes due = new DueTimes(plain, zone, times);
        if (due.localAfter(LocalDateTime.of(2024, 1, 1, 0, 0)).isEmpty()) {
            throw new CronException(
                    "'" + plain + "' is never due: no month has such a day; give another day or month.", null);
        }
        return due;
    }

    /** The library ends some of its sentences and not others. */
    private static String reason(IllegalArgumentException wrong) {
        String said = String.valueOf(wrong.getMessage());
        return said.replaceAll("[.!]+$", "");
    }

    private static String shortened(String text) {
        return text.length() <= 120 ? text : text.substring(0, 120) + "…";
    }

    String expression() {
        return expression;
    }

    String zone() {
        return zone.getId();
    }

    /** The first due time after this moment. */
    Instant next(Instant after) {
        ZoneRules rules = zone.getRules();
        ZoneOffset offset = rules.getOffset(after);
        LocalDateTime start = firstOfItsKind(rules, after, LocalDateTime.ofInstant(after, offset));
        ZoneOffsetTransition change = rules.nextTransition(after);
        while (true) {
            LocalDateTime found = localAfter(start).orElseThrow(() -> new IllegalStateException("never due"));
            if (change == null || found.isBefore(change.getDateTimeBefore())) {
                return found.toInstant(offset);
            }
            if (fixed && change.isGap() && found.isBefore(change.getDateTimeAfter())) {
                return change.getInstant();
            }
            // The clock changes before that time comes. Look again, from the change on.
            offset = change.getOffsetAfter();
            start = justBefore(fixed && change.isOverlap() ? change.getDateTimeBefore() : change.getDateTimeAfter());
            change = rules.nextTransition(change.getInstant());
        }
    }

    /** A fixed time is not due in an hour that is repeated: it was due in the hour before. */
    private LocalDateTime firstOfItsKind(ZoneRules rules, Instant after, LocalDateTime start) {
        @Nullable ZoneOffsetTransition last = rules.previousTransition(after.plusNanos(1));
        boolean repeated = fixed && last != null && last.isOverlap() && start.isBefore(last.getDateTimeBefore());
        return repeated ? justBefore(last.getDateTimeBefore()) : start;
    }

    private static LocalDateTime justBefore(LocalDateTime time) {
        return time.minusSeconds(1);
    }

    /** Without a zone, every day has 24 hours. */
    private Optional<LocalDateTime> localAfter(LocalDateTime start) {
        return times.nextExecution(start.atZone(ZoneOffset.UTC)).map(ZonedDateTime::toLocalDateTime);
    }

    /**
     * The last due time that is not after this moment.
     *
     * @param first a due time that is not after this moment
     */
    Instant latest(Instant first, Instant now) {
        for (Duration window : WINDOWS) {
            Instant start = now.minus(window);
            if (!start.isAfter(first)) {
                break;
            }
            Instant found = next(start);
            if (!found.isAfter(now)) {
                return lastFrom(found, now);
            }
        }
        return lastFrom(first, now);
    }

    private Instant lastFrom(Instant first, Instant now) {
        Instant last = first;
        for (Instant each = next(first); !each.isAfter(now); each = next(each)) {
            last = each;
        }
        return last;
    }
}
