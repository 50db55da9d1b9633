package org.pgbaton.server.captures;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureGap;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.capture.SnapshotStatus;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
final class ShowCommand extends CaptureCommand {
    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    int run(Baton baton, CaptureStatus capture) {
        List<SnapshotStatus> snapshots = baton.captures().snapshots(capture.name());
        List<CaptureGap> gaps = baton.captures().gaps(capture.name());
        if (json) {
            Map<String, @Nullable Object> map = CaptureOutput.asMap(capture);
            map.put("snapshots", snapshots.stream().map(CaptureOutput::asMap).toList());
            map.put("gapList", gaps.stream().map(CaptureOutput::asMap).toList());
            Output.json(map);
            return ExitCode.DONE;
        }
        line("capture", capture.name());
        line("state", capture.state().word());
        line("reader", capture.reader() == null ? "nobody" : capture.reader() + ", epoch " + capture.epoch());
        line("tables", String.join(", ", capture.source().tables()));
        line("operations", String.join(", ", CaptureOutput.operations(capture)));
        line("log", capture.log());
        line("changes", Output.number(capture.changes()));
        line("last change", capture.changedAt());
        line(
                "publication",
                capture.source().publication() + (capture.source().ownPublication() ? "" : " (not made by Baton)"));
        line(
                "slot",
                capture.slot().name()
                        + (capture.slot().walStatus() == null
                                ? " (gone)"
                                : ", " + capture.slot().walStatus()));
        line("behind", Output.bytes(capture.slot().behindBytes()));
        line(
                "WAL kept",
                Output.bytes(capture.slot().retainedBytes())
                        + (capture.slot().safeBytes() == null
                                ? ", without limit"
                                : ", given up after "
                                        + Output.bytes(capture.slot().safeBytes()) + " more"));
        line("created", capture.createdAt());
        snapshots.forEach(snapshot -> line("rows sent", CaptureOutput.progress(snapshot)));
        gaps.forEach(gap -> line(gap.isOpen() ? "gap" : "settled gap", CaptureOutput.told(gap)));
        if (capture.warning() != null) {
            line("warning", capture.warning());
        }
        if (capture.problem() != null) {
            line(
                    "problem",
                    capture.problem().what() + " (since " + capture.problem().since() + ")");
        }
        return ExitCode.DONE;
    }

    private static void line(String what, @Nullable Object value) {
        Output.line(String.format("%-12s %s", what, value == null ? "-" : value));
    }
}
