package org.pgbaton.schedule;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One schedule as the whole database sees it: a row of the view {@code schedule_status}.
 *
 * @param zone the name of the time zone in which the expression is meant
 * @param nextDue the first due time that nobody has claimed
 * @param holder the process that will run it, or null if there is none
 * @param lastRun null if there was none yet
 */
public record ScheduleStatus(
        String name,
        String cron,
        String zone,
        Missed missed,
        Instant nextDue,
        @Nullable String holder,
        @Nullable ScheduledRun lastRun) {
    /** The names and values that {@code baton status --json} prints. */
    public Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("cron", cron);
        map.put("zone", zone);
        map.put("missed", missed.name().toLowerCase(Locale.ROOT));
        map.put("nextDue", nextDue);
        map.put("holder", holder);
        map.put("lastRun", lastRun == null ? null : asMap(lastRun));
        return map;
    }

    private static Map<String, @Nullable Object> asMap(ScheduledRun run) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("due", run.due());
        map.put("started", run.started());
        map.put("ended", run.ended());
        map.put("outcome", run.outcome().name().toLowerCase(Locale.ROOT));
        map.put("by", run.by());
        map.put("error", run.error());
        return map;
    }
}
