package org.pgbaton.server.parked;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.MessageJson;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.subscription.Subscriptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton parked export}. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        description =
                "One JSON object in each line, in order. JSON payloads stay as they were written; bytes come as base64 in 'data'.",
        header = {
            "Writes the messages of a key that waits as JSON lines.",
            "",
            "Examples:",
            "  baton parked export balances P7 --out P7.jsonl",
            "  baton parked export balances P7 | jq -c '{position, payload}'",
            ""
        })
final class ExportCommand extends ParkedKeyCommand {
    private static final int AT_ONCE = 500;

    @Option(names = "--out", paramLabel = "FILE", description = "The file to write (default: standard output).")
    private @Nullable Path file;

    @Override
    int run(Subscriptions subscriptions, SubscriptionStatus status, ParkedKey parked) {
        if (file == null) {
            write(subscriptions, parked, System.out);
            return ExitCode.DONE;
        }
        long written;
        boolean failed;
        try (PrintStream out = new PrintStream(new FileOutputStream(file.toFile()), false, StandardCharsets.UTF_8)) {
            written = write(subscriptions, parked, out);
            failed = out.checkError();
        } catch (IOException refused) {
            throw new UsageException("The file " + file + " cannot be written: " + refused.getMessage() + ".");
        }
        if (failed) {
            throw new UsageException("The file " + file + " could not be written to the end: is the disk full?");
        }
        Output.say("Wrote " + Output.count(written, "message") + " to " + file + ".");
        return ExitCode.DONE;
    }

    private static long write(Subscriptions subscriptions, ParkedKey parked, PrintStream out) {
        long written = 0;
        long after = 0;
        while (true) {
            List<Message> messages = subscriptions.parkedMessages(parked.subscription(), parked.key(), after, AT_ONCE);
            for (Message message : messages) {
                out.println(Output.jsonLine(MessageJson.of(message)));
                after = message.position();
                written++;
            }
            if (messages.size() < AT_ONCE || out.checkError()) {
                return written;
            }
        }
    }
}
