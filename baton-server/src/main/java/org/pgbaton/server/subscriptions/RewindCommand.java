package org.pgbaton.server.subscriptions;

import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.Confirmation;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import org.pgbaton.server.UsageException;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton subscriptions rewind}. */
@Command(
        name = "rewind",
        mixinStandardHelpOptions = true,
        description =
                "Handles everything after that position again. A projection that is not idempotent must be emptied first: pause, "
                        + "empty, rewind, resume. To keep the old one readable meanwhile, see 'baton subscriptions rebuild'.",
        header = {
            "Handles messages again, from a position on.",
            "",
            "Examples:",
            "  baton subscriptions rewind mails --to 4711 --reason 'the template was wrong'",
            "  baton subscriptions rewind balances --to origin --reason 'a fee was missing' --yes",
            ""
        })
final class RewindCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The subscription.")
    private String name = "";

    @Option(
            names = "--to",
            required = true,
            paramLabel = "POSITION",
            description = "The last message that is not handled again; 'origin': all are.")
    private String to = "";

    @Option(names = "--target", paramLabel = "TARGET", description = "Another target than the live one.")
    private @Nullable String target;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "For the record.")
    private String reason = "";

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    protected void check() {
        position();
    }

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) throws IOException {
        SubscriptionStatus status = Named.liveOr(baton, name, target);
        if (!confirmation.given(impact(status, new Lanes(place.url(), schema(), status)))) {
            return ExitCode.NEGATIVE;
        }
        baton.subscriptions().ofTarget(status.target()).rewind(name, position(), reason);
        Output.say("Subscription '" + name + "' handles everything after position " + Output.number(position())
                + " again.");
        return ExitCode.DONE;
    }

    private String impact(SubscriptionStatus status, Lanes lanes) {
        long again = lanes.handledAgain(position());
        long removed = lanes.retainedAbove();
        return "This handles "
                + (again >= Lanes.COUNTED_AT_MOST ? "more than " : "")
                + Output.count(again, "message") + " again"
                + (status.parkedKeys() + status.setAsideKeys() == 0
                        ? ""
                        : ", those of " + Output.count(status.parkedKeys() + status.setAsideKeys(), "key")
                                + " that wait now among them")
                + "; " + Named.alive(status) + "."
                + (removed > position()
                        ? " Those up to position " + Output.number(removed) + " have been removed from log '"
                                + status.log() + "', and do not come again."
                        : "");
    }

    private long position() {
        if (to.toLowerCase(Locale.ROOT).equals("origin")) {
            return 0;
        }
        try {
            long position = Long.parseLong(to);
            if (position >= 0) {
                return position;
            }
        } catch (NumberFormatException notOne) {
            // The sentence below says what would do.
        }
        throw new UsageException("--to " + to + " is no position: give a whole number from 0 on, or 'origin'.");
    }
}
