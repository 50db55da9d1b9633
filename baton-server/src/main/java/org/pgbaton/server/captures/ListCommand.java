package org.pgbaton.server.captures;

import java.util.List;
import java.util.Map;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import org.pgbaton.server.Watch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton captures list}. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "One line for each: who reads, how far it is behind, how much WAL the server keeps for it.",
        header = {
            "Shows every capture.",
            "",
            "Examples:",
            "  baton captures list --watch",
            "  baton captures list --json | jq '.captures[] | {name, state, retainedBytes}'",
            ""
        })
final class ListCommand extends OperatorCommand {
    @Option(names = "--watch", description = "Show it again every second, until Ctrl-C.")
    private boolean watch;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) throws InterruptedException {
        Watch.show(watch, () -> show(baton.captures().list()));
        return ExitCode.DONE;
    }

    private void show(List<CaptureStatus> captures) {
        if (json) {
            Output.json(Map.of("captures", captures.stream().map(Shown::asMap).toList()));
            return;
        }
        Watch.clear(watch);
        if (captures.isEmpty()) {
            Output.say("There is no capture here yet; the first program that starts one makes it.");
        } else {
            Output.text(Shown.table(captures));
        }
    }
}
