package org.pgbaton.server;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.schedule.ScheduleStatus;
import org.pgbaton.schedule.Schedules;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.subscriptions.SubscriptionOutput;
import org.pgbaton.subscription.SubscriptionStatus;

/**
 * What {@code baton status} shows of one database.
 *
 * @param database its name, if there are several; else empty
 */
record DatabaseStatus(
        String database,
        List<LeaderStatus> leaderships,
        List<ScheduleStatus> schedules,
        List<SubscriptionStatus> subscriptions) {
    private static final List<String> LEADERSHIPS =
            List.of("LEADERSHIP", "LEADER", "EPOCH", "SINCE", "STANDBYS", "LAST TAKEOVER", "CHANGES");

    static DatabaseStatus of(String database, Baton baton) {
        return new DatabaseStatus(
                database,
                baton.leaderStatus(),
                Schedules.of(baton).status(),
                baton.subscriptions().list());
    }

    /** For programs; without the database. */
    Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("leaderships", leaderships.stream().map(LeaderStatus::asMap).toList());
        all.put("schedules", schedules.stream().map(ScheduleStatus::asMap).toList());
        all.put(
                "subscriptions",
                subscriptions.stream().map(SubscriptionStatus::asMap).toList());
        return all;
    }

    /** For people: a table for each sort of thing that there is. With several databases their names are the first column. */
    static List<String> tables(List<DatabaseStatus> all) {
        Instant now = Instant.now();
        List<String> tables = new ArrayList<>();
        table(all, LEADERSHIPS, DatabaseStatus::leaderships, each -> row(each, now), tables);
        table(all, ScheduleOutput.HEAD, DatabaseStatus::schedules, ScheduleOutput::row, tables);
        table(all, SubscriptionOutput.HEAD, DatabaseStatus::subscriptions, SubscriptionOutput::row, tables);
        return tables;
    }

    private static <T> void table(
            List<DatabaseStatus> all,
            List<String> head,
            Function<DatabaseStatus, List<T>> things,
            Function<T, List<String>> row,
            List<String> tables) {
        boolean several = all.stream().anyMatch(each -> !each.database.isEmpty());
        BiFunction<String, List<String>, List<String>> line = (first, rest) -> {
            List<String> columns = new ArrayList<>(rest);
            if (several) {
                columns.add(0, first);
            }
            return columns;
        };
        List<List<String>> rows = new ArrayList<>();
        for (DatabaseStatus each : all) {
            things.apply(each).forEach(thing -> rows.add(line.apply(each.database, row.apply(thing))));
        }
        if (!rows.isEmpty()) {
            tables.add(Output.table(line.apply("DATABASE", head), rows));
        }
    }

    private static List<String> row(LeaderStatus status, Instant now) {
        return List.of(
                status.name(),
                status.holder() == null ? "(nobody)" : status.holder(),
                Long.toString(status.epoch()),
                Durations.ago(status.since(), now),
                Integer.toString(status.standbys().size()),
                takeover(status, now),
                Long.toString(status.changes()));
    }

    private static String takeover(LeaderStatus status, Instant now) {
        if (status.takenOverAt() == null) {
            return "never";
        }
        String from = status.previousHolder() == null ? "" : ", from " + status.previousHolder();
        String vacant = status.vacantFor() == null ? "" : ", vacant for " + Durations.shown(status.vacantFor());
        return Durations.ago(status.takenOverAt(), now) + from + vacant;
    }
}
