package org.pgbaton.server.parked;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.Confirmation;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.NotThereException;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import org.pgbaton.server.subscriptions.Named;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
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
final class SkipCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "SUBSCRIPTION", description = "The subscription.")
    private String subscription = "";

    @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
    private String key = "";

    @Parameters(index = "2", paramLabel = "POSITION", description = "The position of its first message.")
    private Long position = 0L;

    @Option(names = "--target", paramLabel = "TARGET", description = "Another target than the live one.")
    private @Nullable String target;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "For the record.")
    private String reason = "";

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) throws IOException {
        SubscriptionStatus in = Named.liveOr(baton, subscription, target);
        ParkedKey found = ParkedTable.find(baton, in, key);
        if (found.head() != position) {
            throw new NotThereException(
                    "Key '" + key + "' of subscription '" + subscription + "' is blocked by message " + found.head()
                            + ", not by " + position + "; only the first can be skipped.");
        }
        long behind = found.waiting() - 1;
        String impact =
                "This skips message " + position + " of key '" + key + "' in subscription '" + subscription + "'; "
                        + (behind == 0 ? "no other message" : Output.count(behind, "message")) + " of that key "
                        + (behind <= 1 ? "waits" : "wait") + " behind it; "
                        + Named.alive(in) + ".";
        if (!confirmation.given(impact)) {
            return ExitCode.NEGATIVE;
        }
        baton.subscriptions().ofTarget(in.target()).skip(subscription, key, position, reason);
        Output.say("Message " + position + " is skipped"
                + (behind == 0 ? "." : "; key '" + key + "' goes on with the next."));
        return ExitCode.DONE;
    }
}
