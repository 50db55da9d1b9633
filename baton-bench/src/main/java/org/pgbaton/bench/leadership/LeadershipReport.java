package org.pgbaton.bench.leadership;

import java.util.List;
import java.util.Locale;
import org.pgbaton.bench.arena.Machine;
import org.pgbaton.bench.arena.Samples;

/** The measured table, Baton's ratio to the best peer, and whether the aims were met. */
final class LeadershipReport {
    private final List<LeadershipResult> results;
    private final LeadershipResult baton;
    private final String server;

    LeadershipReport(List<LeadershipResult> results, String server) {
        this.results = results;
        this.baton = results.get(0);
        this.server = server;
    }

    String text() {
        StringBuilder text = new StringBuilder("## Leadership\n\n");
        text.append("From the signal to the leader until another process leads, p50 / p99 of ")
                .append(baton.killed.size())
                .append(
                        " rounds each; three processes to a lock, each contender with its defaults in JVMs of its own, taking turns "
                                + "in one run. Statements per second: leader / each standby, idle.\n\n");
        text.append("Machine: ")
                .append(Machine.description())
                .append("; ")
                .append(server)
                .append(", fsync on.\n\n");
        text.append(
                "| | settings | `kill -9` | SIGSTOP | SIGTERM (hand-over) | statements/s |\n|---|---|---|---|---|---|\n");
        results.forEach(result -> text.append(result.row()).append('\n'));
        text.append('\n');
        if (results.size() > 1) {
            double best = results.stream()
                    .skip(1)
                    .mapToDouble(each -> each.killed.percentile(50))
                    .min()
                    .orElseThrow();
            text.append(String.format(
                    Locale.ROOT,
                    "After `kill -9` Baton takes over %.0f times faster than the best peer (p50).%n%n",
                    best / baton.killed.percentile(50)));
        }
        aims().forEach(aim -> text.append("- ")
                .append(aim.met ? "met: " : "**missed**: ")
                .append(aim.text)
                .append('\n'));
        return text.toString();
    }

    private record Aim(boolean met, String text) {}

    boolean aimsMet() {
        return aims().stream().allMatch(Aim::met);
    }

    private List<Aim> aims() {
        return List.of(
                atMost("`kill -9` p50", baton.killed.percentile(50), 30),
                atMost("`kill -9` p99", baton.killed.percentile(99), 100),
                atMost("hand-over p50", baton.handedOver.percentile(50), 10),
                atMost("SIGSTOP p99 (lease + 1 s)", baton.frozen.percentile(99), 11_000),
                new Aim(
                        baton.leaderStatements <= 2 && baton.standbyStatements <= 2,
                        String.format(
                                Locale.ROOT,
                                "idle at most 2 statements/s (leader %.1f, standby %.1f)",
                                baton.leaderStatements,
                                baton.standbyStatements)));
    }

    private static Aim atMost(String what, double measured, double limit) {
        return new Aim(measured <= limit, what + " " + Samples.shown(measured) + ", aim " + Samples.shown(limit));
    }
}
