package org.pgbaton.server.logs;

import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.log.LogStatus;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code baton logs show}. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        header = {
            "Shows one log, and who holds its lanes back.",
            "",
            "Examples:",
            "  baton logs show events",
            "  baton logs show events --json | jq .openWriters",
            "",
        })
final class ShowCommand extends LogsTask {
    @Parameters(paramLabel = "NAME", description = "The log.")
    private String name = "";

    @Override
    int run(Baton baton) {
        LogStatus log = baton.logs().show(name);
        if (json()) {
            Output.json(LogOutput.asMap(log));
            return ExitCode.DONE;
        }
        line("log", log.name());
        line("lanes", log.lanes());
        line("kept", new Retention(log.retention()));
        if (log.payloadLimit() != null) {
            line("payloads up to", Output.count(log.payloadLimit(), "byte"));
        }
        line("rows (about)", log.size().rows());
        line("size", Output.bytes(log.size().bytes()));
        line("first", place(log.first()));
        line("last", place(log.last()));
        line("removed up to", log.retainedAbove());
        line("created", log.createdAt());
        if (log.writers().isEmpty()) {
            line("open writers", "none");
        }
        log.writers().forEach(writer -> line("open writer", LogOutput.writer(writer)));
        return ExitCode.DONE;
    }

    private static String place(LogStatus.@Nullable RowPlace place) {
        return place == null ? "-" : place.position() + ", recorded at " + place.recordedAt();
    }

    private static void line(String what, Object value) {
        Output.line(String.format("%-14s %s", what, value));
    }
}
