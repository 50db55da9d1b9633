package org.pgbaton.server.logs;

import java.util.LinkedHashMap;
import java.util.Map;
import org.pgbaton.Baton;
import org.pgbaton.log.LogStatus;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code baton logs retain}. */
@Command(
        name = "retain",
        mixinStandardHelpOptions = true,
        description =
                "In chunks of 10,000, each a transaction. Rows that a subscription has not passed, or that a parked key "
                        + "waits for, stay.",
        header = {
            "Removes the rows that are older than the log's retention, now.",
            "",
            "Examples:",
            "  baton logs retain orders",
            "",
        })
final class RetainCommand extends LogsTask {
    @Parameters(paramLabel = "NAME", description = "The log.")
    private String name = "";

    @Override
    int run(Baton baton) {
        LogStatus before = baton.logs().show(name);
        if (before.retention() == null) {
            Output.say("The rows of log '" + name + "' are kept forever; see 'baton logs retention'.");
        }
        long removed = 0;
        for (int chunk = baton.logs().retainOnce(name);
                chunk > 0;
                chunk = baton.logs().retainOnce(name)) {
            removed += chunk;
            if (Terminal.isOutput()) {
                Output.say(removed + " rows removed so far");
            }
        }
        LogStatus after = baton.logs().show(name);
        if (json()) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("removed", removed);
            map.put("log", LogOutput.asMap(after));
            Output.json(map);
        } else {
            Output.line("removed " + removed + " rows; the first is now " + LogOutput.position(after.first()));
        }
        return ExitCode.DONE;
    }
}
