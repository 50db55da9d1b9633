package org.pgbaton.server.captures;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.server.command.ListingCommand;
import picocli.CommandLine.Command;

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
final class ListCommand extends ListingCommand<CaptureStatus> {
    ListCommand() {
        super("captures", "There is no capture here yet; the first program that starts one makes it.");
    }

    @Override
    protected List<CaptureStatus> list(Baton baton) {
        return baton.captures().list();
    }

    @Override
    protected String table(List<CaptureStatus> all) {
        return CaptureOutput.table(all);
    }

    @Override
    protected Map<String, @Nullable Object> asMap(CaptureStatus one) {
        return CaptureOutput.asMap(one);
    }
}
