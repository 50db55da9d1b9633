package org.pgbaton.server.subscriptions;

import java.io.IOException;
import java.util.Locale;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.Confirmation;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.RequiredReason;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
final class RewindCommand extends SubscriptionCommand {
    @Option(
            names = "--to",
            required = true,
            paramLabel = "POSITION",
            description = "The last message that is not handled again; 'origin': all are.")
    private String to = "";

    @Mixin
    private RequiredReason reason = new RequiredReason();

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    protected void check() {
        position();
    }

    @Override
    int run(Baton baton, ChosenDatabase chosen, SubscriptionStatus status) throws IOException {
        if (!confirmation.given(impact(status, new Lanes(chosen.sessions(), chosen.schema(), status)))) {
            return ExitCode.NEGATIVE;
        }
        baton.subscriptions().ofTarget(status.target()).rewind(status.name(), position(), reason.text());
        Output.say("Subscription '" + status.name() + "' handles everything after position " + Output.number(position())
                + " again.");
        return ExitCode.DONE;
    }

    private String impact(SubscriptionStatus status, Lanes lanes) {
        long again = lanes.handledAgain(position());
        long removed = lanes.retainedAbove();
        return "This handles "
                + (again >= Lanes.COUNTED_AT_MOST ? "more than " : "")
                + Output.count(again, "message") + " again"
                + (status.keys().all() == 0
                        ? ""
                        : ", those of " + Output.count(status.keys().all(), "key") + " that wait now among them")
                + "; " + NamedSubscription.alive(status) + "."
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
            // The sentence below says what is accepted.
        }
        throw new UsageException("--to " + to + " is no position: give a whole number from 0 on, or 'origin'.");
    }
}
