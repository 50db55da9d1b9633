package org.pgbaton.server.leaderships;

import java.io.IOException;
import org.pgbaton.Baton;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.Confirmation;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.NotThereException;
import org.pgbaton.server.command.OperatorCommand;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.RequiredReason;
import org.pgbaton.server.command.TryLaterException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code baton leaderships delete}. */
@Command(
        name = "delete",
        mixinStandardHelpOptions = true,
        description =
                "Forgets who led it last and when it ran last, and the schedule of that name. Nobody may lead it or stand by for "
                        + "it: exit 75 if somebody does. If it is used again, its epochs go on above all that were given out.",
        header = {
            "Deletes a leadership.",
            "",
            "Examples:",
            "  baton leaderships delete nightly --reason 'the report is gone'",
            ""
        })
final class DeleteCommand extends OperatorCommand {
    @Parameters(paramLabel = "NAME", description = "The leadership.")
    private String name = "";

    @Mixin
    private RequiredReason reason = new RequiredReason();

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    protected int run(Baton baton, ChosenDatabase chosen) throws IOException {
        LeaderStatus status = baton.leaderStatus().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new NotThereException("There is no leadership '" + name + "' in schema '"
                        + chosen.schema() + "': 'baton status' shows them all."));
        if (status.holder() != null) {
            throw new TryLaterException(
                    "Leadership '" + name + "' is led by " + status.holder() + ": stop that process first.");
        }
        if (!status.standbys().isEmpty()) {
            throw new TryLaterException("Leadership '" + name + "' has standbys ("
                    + String.join(", ", status.standbys()) + "): stop them first.");
        }
        if (!confirmation.given(
                "This forgets leadership '" + name + "', which changed hands " + Output.count(status.changes(), "time")
                        + ", and when it ran last. Nobody leads it or waits for it.")) {
            return ExitCode.NEGATIVE;
        }
        baton.deleteLeadership(name, reason.text());
        Output.say("Leadership '" + name + "' is deleted.");
        return ExitCode.DONE;
    }
}
