package org.pgbaton.server.captures;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureGap;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.capture.SnapshotStatus;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton captures show}. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        header = {
            "Shows one capture, its slot and its publication.",
            "",
            "Examples:",
            "  baton captures show alerts",
            "  baton captures show alerts --json | jq .retainedBytes",
            ""
        })
final class ShowCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The capture.")
    private String name = "";

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) {
        CaptureStatus status = Shown.named(baton, name);
        List<SnapshotStatus> snapshots = baton.captures().snapshots(name);
        List<CaptureGap> gaps = baton.captures().gaps(name);
        if (json) {
            Map<String, @Nullable Object> map = Shown.asMap(status);
            map.put("snapshots", snapshots.stream().map(Shown::asMap).toList());
            map.put("gapList", gaps.stream().map(Shown::asMap).toList());
            Output.json(map);
            return ExitCode.DONE;
        }
        line("capture", status.name());
        line("state", status.state());
        line("reader", status.owner() == null ? "nobody" : status.owner() + ", epoch " + status.epoch());
        line("tables", String.join(", ", status.tables()));
        line("operations", String.join(", ", status.operations()));
        line("log", status.log());
        line("changes", Output.number(status.changes()));
        line("last change", status.changedAt());
        line("publication", status.publication() + (status.ownPublication() ? "" : " (not made by Baton)"));
        line("slot", status.slot() + (status.walStatus() == null ? " (gone)" : ", " + status.walStatus()));
        line("behind", Output.bytes(status.behindBytes()));
        line(
                "WAL kept",
                Output.bytes(status.retainedBytes())
                        + (status.safeBytes() == null
                                ? ", without limit"
                                : ", given up after " + Output.bytes(status.safeBytes()) + " more"));
        line("created", status.createdAt());
        snapshots.forEach(snapshot -> line("rows sent", Shown.progress(snapshot)));
        gaps.forEach(gap -> line(gap.isOpen() ? "gap" : "settled gap", Shown.told(gap)));
        if (status.warning() != null) {
            line("warning", status.warning());
        }
        if (status.problem() != null) {
            line("problem", status.problem() + " (since " + status.problemSince() + ")");
        }
        return ExitCode.DONE;
    }

    private static void line(String what, @Nullable Object value) {
        Output.line(String.format("%-12s %s", what, value == null ? "-" : value));
    }
}
