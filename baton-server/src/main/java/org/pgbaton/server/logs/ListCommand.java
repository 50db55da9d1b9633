package org.pgbaton.server.logs;

import java.util.List;
import java.util.Map;
import org.pgbaton.Baton;
import org.pgbaton.log.LogStatus;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import picocli.CommandLine.Command;

/** {@code baton logs list}. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        header = {
            "Shows every log.",
            "",
            "Examples:",
            "  baton logs list",
            "  baton logs list --json | jq '.logs[].name'",
            "",
        })
final class ListCommand extends LogsTask {
    private static final List<String> HEAD =
            List.of("LOG", "LANES", "KEPT", "ROWS (ABOUT)", "SIZE", "FIRST", "LAST", "OPEN WRITERS");

    @Override
    int run(Baton baton) {
        List<LogStatus> logs = baton.logs().list();
        if (json()) {
            Output.json(Map.of("logs", logs.stream().map(LogOutput::asMap).toList()));
        } else {
            Output.text(Output.table(HEAD, logs.stream().map(ListCommand::row).toList()));
        }
        return ExitCode.DONE;
    }

    private static List<String> row(LogStatus log) {
        return List.of(
                log.name(),
                Integer.toString(log.lanes()),
                new Retention(log.retention()).toString(),
                Long.toString(log.size().rows()),
                Output.bytes(log.size().bytes()),
                LogOutput.position(log.first()),
                LogOutput.position(log.last()),
                Integer.toString(log.writers().size()));
    }
}
