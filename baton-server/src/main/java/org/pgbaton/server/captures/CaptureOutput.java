package org.pgbaton.server.captures;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureGap;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.capture.CapturedOperation;
import org.pgbaton.capture.SnapshotStatus;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.Output;

/** Captures as a table and as lines for people, and as JSON for programs. */
final class CaptureOutput {
    private static final List<String> HEAD =
            List.of("CAPTURE", "STATE", "READER", "TABLES", "LOG", "CHANGES", "BEHIND", "WAL KEPT", "NOTE");

    private CaptureOutput() {}

    static String table(List<CaptureStatus> captures) {
        return Output.table(HEAD, captures.stream().map(CaptureOutput::row).toList());
    }

    private static List<String> row(CaptureStatus status) {
        return List.of(
                status.name(),
                status.state().word(),
                status.reader() == null ? "-" : status.reader(),
                Output.shortened(String.join(", ", status.source().tables()), 40),
                status.log(),
                Output.number(status.changes()),
                Output.bytes(status.slot().behindBytes()),
                Output.bytes(status.slot().retainedBytes()),
                note(status));
    }

    /** The most important thing to know about the capture; empty if all is well. */
    static String note(CaptureStatus status) {
        if (status.problem() != null) {
            return Output.shortened(status.problem().what(), 80);
        }
        if (status.gaps() > 0) {
            return Output.count(status.gaps(), "gap") + ": see 'baton captures show " + status.name() + "'";
        }
        if (status.warning() != null) {
            return Output.shortened(status.warning(), 80);
        }
        return switch (status.state()) {
            case LOST -> "its slot is lost, and with it the changes since then";
            case WAITING -> "nobody reads; the server keeps the WAL";
            case PAUSED -> "the server keeps the WAL";
            case RUNNING, STOPPED -> "";
        };
    }

    static Map<String, @Nullable Object> asMap(CaptureStatus status) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", status.name());
        map.put("state", status.state().word());
        map.put("log", status.log());
        map.put("tables", status.source().tables());
        map.put("operations", operations(status));
        map.put("publication", status.source().publication());
        map.put("ownPublication", status.source().ownPublication());
        map.put("slot", status.slot().name());
        map.put("reader", status.reader());
        map.put("epoch", status.epoch());
        map.put("changes", status.changes());
        map.put("changedAt", status.changedAt());
        map.put("walStatus", status.slot().walStatus());
        map.put("safeBytes", status.slot().safeBytes());
        map.put("retainedBytes", status.slot().retainedBytes());
        map.put("behindBytes", status.slot().behindBytes());
        CaptureStatus.Problem problem = status.problem();
        map.put("problem", problem == null ? null : problem.what());
        map.put("problemSince", problem == null ? null : problem.since());
        map.put("createdAt", status.createdAt());
        map.put("warning", status.warning());
        map.put("gaps", status.gaps());
        return map;
    }

    static List<String> operations(CaptureStatus status) {
        return status.source().operations().stream()
                .map(CapturedOperation::word)
                .toList();
    }

    static Map<String, @Nullable Object> asMap(CaptureGap gap) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("table", gap.table());
        map.put("what", gap.what());
        map.put("fromLsn", gap.fromLsn());
        map.put("from", gap.from());
        map.put("toLsn", gap.toLsn());
        map.put("to", gap.to());
        map.put("foundAt", gap.foundAt());
        map.put("settledAt", gap.settledAt());
        map.put("settledBy", gap.settledBy());
        map.put("reason", gap.reason());
        return map;
    }

    /** The gap, with advice if it is open, or else with what was done about it. */
    static String told(CaptureGap gap) {
        return gap.isOpen()
                ? gap.sentence() + " " + gap.advice()
                : gap.sentence() + " Settled by " + gap.settledBy() + ": " + gap.reason();
    }

    static Map<String, @Nullable Object> asMap(SnapshotStatus snapshot) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("table", snapshot.table());
        map.put("sent", snapshot.sent());
        map.put("estimated", snapshot.estimated());
        map.put("begunAt", snapshot.begunAt());
        map.put("doneAt", snapshot.doneAt());
        return map;
    }

    /** {@code public.alert: 12,000 of about 50,000, about 2 min left}. */
    static String progress(SnapshotStatus snapshot) {
        String start = snapshot.table() + ": " + Output.number(snapshot.sent());
        if (snapshot.doneAt() != null) {
            return start + ", done at " + snapshot.doneAt();
        }
        return start + " of about " + Output.number(Math.max(snapshot.estimated(), snapshot.sent()))
                + snapshot.left(Instant.now())
                        .map(left -> ", about " + Durations.shown(left) + " left")
                        .orElse(snapshot.begunAt() == null ? ", not begun yet" : "");
    }
}
