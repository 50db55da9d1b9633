package org.pgbaton.server;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.pgbaton.Baton;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.schedule.ScheduleStatus;
import org.pgbaton.schedule.Schedules;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.DatabaseOptions;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.Watch;
import org.pgbaton.server.subscriptions.SubscriptionOutput;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton status}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description =
                "Shows who leads what, who stands by, since when, and under which epoch; when each schedule is due, and how far "
                        + "each subscription is.",
        header = {
            "Shows who leads, who stands by, and how far subscriptions are.",
            "",
            "Examples:",
            "  baton status",
            "  baton status --watch",
            "  baton status --json | jq '.leaderships[].holder'",
            "  baton status --json | jq '.subscriptions[] | select(.lagSeconds > 60) | .name'",
            ""
        })
final class StatusCommand implements Callable<Integer> {
    private static final List<String> HEAD =
            List.of("LEADERSHIP", "LEADER", "EPOCH", "SINCE", "STANDBYS", "LAST TAKEOVER", "CHANGES");

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Option(names = "--watch", description = "Show it again every second, until Ctrl-C.")
    private boolean watch;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        try (ChosenDatabase chosen = database.choose();
                Baton baton = chosen.openForOperator()) {
            chosen.psqlCommand().ifPresent(command -> Output.say("baton: While it runs: " + command));
            Watch.show(
                    watch,
                    () -> show(
                            baton.leaderStatus(),
                            Schedules.of(baton).status(),
                            baton.subscriptions().list()));
        }
        return ExitCode.DONE;
    }

    private void show(
            List<LeaderStatus> leaderships, List<ScheduleStatus> schedules, List<SubscriptionStatus> subscriptions) {
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("leaderships", leaderships.stream().map(LeaderStatus::asMap).toList());
            all.put("schedules", schedules.stream().map(ScheduleStatus::asMap).toList());
            all.put(
                    "subscriptions",
                    subscriptions.stream().map(SubscriptionStatus::asMap).toList());
            Output.json(all);
            return;
        }
        Watch.clear(watch);
        List<String> tables = new ArrayList<>();
        if (!leaderships.isEmpty()) {
            Instant now = Instant.now();
            tables.add(Output.table(
                    HEAD, leaderships.stream().map(each -> row(each, now)).toList()));
        }
        if (!schedules.isEmpty()) {
            tables.add(ScheduleOutput.table(schedules));
        }
        if (!subscriptions.isEmpty()) {
            tables.add(SubscriptionOutput.table(subscriptions));
        }
        if (tables.isEmpty()) {
            Output.say("Nobody has bid for a leadership here yet. Try: baton lead nightly -- echo hello");
        } else {
            Output.text(String.join("\n\n", tables));
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
