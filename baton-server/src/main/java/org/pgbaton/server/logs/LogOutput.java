package org.pgbaton.server.logs;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.LogStatus;
import org.pgbaton.server.command.Durations;

/** Logs as text for people and as JSON for programs. */
final class LogOutput {
    private LogOutput() {}

    static Map<String, @Nullable Object> asMap(LogStatus status) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", status.name());
        map.put("lanes", status.lanes());
        map.put("retentionSeconds", seconds(status.retention()));
        map.put("payloadLimit", status.payloadLimit());
        map.put("rowsEstimate", status.size().rows());
        map.put("bytes", status.size().bytes());
        putPlace(map, "first", status.first());
        putPlace(map, "last", status.last());
        map.put("removedUpTo", status.retainedAbove());
        map.put("createdAt", status.createdAt());
        map.put("openWriters", status.writers().stream().map(LogOutput::asMap).toList());
        return map;
    }

    private static Map<String, @Nullable Object> asMap(LogStatus.Writer writer) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("application", writer.who());
        map.put("user", writer.user());
        map.put("process", writer.process());
        map.put("ageSeconds", seconds(writer.age()));
        map.put("lanes", writer.lanes());
        return map;
    }

    private static void putPlace(Map<String, @Nullable Object> map, String which, LogStatus.@Nullable RowPlace place) {
        map.put(which + "Position", place == null ? null : place.position());
        map.put(which + "RecordedAt", place == null ? null : place.recordedAt());
    }

    private static @Nullable Double seconds(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis() / 1000.0;
    }

    static String writer(LogStatus.Writer writer) {
        String who = writer.who() == null ? "a program without a name" : writer.who();
        String process = writer.process() == null ? "prepared" : "process " + writer.process();
        String age = writer.age() == null ? "" : ", open for " + Durations.shown(writer.age());
        return who + " (" + process + age + ") in lanes " + writer.lanes();
    }

    static String position(LogStatus.@Nullable RowPlace place) {
        return place == null ? "-" : Long.toString(place.position());
    }
}
