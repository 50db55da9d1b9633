package org.pgbaton.server.parked;

import java.io.IOException;
import org.pgbaton.server.command.Confirmation;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.NotThereException;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.RequiredReason;
import org.pgbaton.server.subscriptions.NamedSubscription;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.subscription.Subscriptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code baton parked skip}. */
@Command(
        name = "skip",
        mixinStandardHelpOptions = true,
        description =
                "The subscription never handles that message; it stays in the log. Only the first message of a key can be skipped, "
                        + "and its position must be given, so that no other is skipped by mistake.",
        header = {
            "Skips the message that blocks a key, for good.",
            "",
            "Examples:",
            "  baton parked export balances P7 --out P7.jsonl      keep what is skipped",
            "  baton parked skip balances P7 4711 --reason 'a test booking, see ticket 99'",
            ""
        })
final class SkipCommand extends ParkedKeyCommand {
    @Parameters(index = "2", paramLabel = "POSITION", description = "The position of its first message.")
    private Long position = 0L;

    @Mixin
    private RequiredReason reason = new RequiredReason();

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    int run(Subscriptions subscriptions, SubscriptionStatus status, ParkedKey parked) throws IOException {
        if (parked.head() != position) {
            throw new NotThereException(
                    "Key '" + parked.key() + "' of subscription '" + parked.subscription() + "' is blocked by message "
                            + parked.head() + ", not by " + position + "; only the first can be skipped.");
        }
        long behind = parked.waiting() - 1;
        String impact = "This skips message " + position + " of key '" + parked.key() + "' in subscription '"
                + parked.subscription() + "'; "
                + (behind == 0 ? "no other message" : Output.count(behind, "message")) + " of that key "
                + (behind <= 1 ? "waits" : "wait") + " behind it; "
                + NamedSubscription.alive(status) + ".";
        if (!confirmation.given(impact)) {
            return ExitCode.NEGATIVE;
        }
        subscriptions.skip(parked.subscription(), parked.key(), position, reason.text());
        Output.say("Message " + position + " is skipped"
                + (behind == 0 ? "." : "; key '" + parked.key() + "' goes on with the next."));
        return ExitCode.DONE;
    }
}
