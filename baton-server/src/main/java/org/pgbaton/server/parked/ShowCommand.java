package org.pgbaton.server.parked;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.MessageJson;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.subscription.Subscriptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton parked show}. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = "Why the key waits, with the whole error, and the messages that wait, in order.",
        header = {
            "Shows one key that waits, with its messages.",
            "",
            "Examples:",
            "  baton parked show balances P7",
            "  baton parked show balances P7 --limit 1 --json | jq '.messages[0].payload'",
            ""
        })
final class ShowCommand extends ParkedKeyCommand {
    private static final List<String> HEAD = List.of("POSITION", "RECORDED", "TYPE", "PAYLOAD");

    @Option(names = "--limit", paramLabel = "N", description = "How many messages at most (default: 20).")
    private int limit = 20;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    protected void check() {
        if (limit < 1) {
            throw new IllegalArgumentException("--limit " + limit + " makes no sense: give 1 or more (default 20).");
        }
    }

    @Override
    int run(Subscriptions subscriptions, SubscriptionStatus status, ParkedKey parked) {
        List<Message> messages = subscriptions.parkedMessages(parked.subscription(), parked.key(), 0, limit);
        if (json) {
            Map<String, @Nullable Object> map = ParkedOutput.asMap(parked);
            map.put("messages", messages.stream().map(MessageJson::of).toList());
            Output.json(map);
        } else {
            print(parked, messages);
        }
        return ExitCode.DONE;
    }

    private static void print(ParkedKey parked, List<Message> messages) {
        Instant now = Instant.now();
        Output.line("Key '" + parked.key() + "' of subscription '" + parked.subscription() + "' is "
                + parked.state().word()
                + ", blocked by message " + parked.head() + "; set aside " + Durations.ago(parked.since(), now) + ", "
                + Output.count(parked.attempts(), "attempt") + ", next try: " + ParkedOutput.nextTry(parked, now) + "; "
                + Output.count(parked.waiting(), "message") + " in all.");
        if (parked.error() != null) {
            Output.line("");
            parked.error().stripTrailing().lines().forEach(line -> Output.line("  " + line));
        }
        Output.line("");
        Output.text(
                Output.table(HEAD, messages.stream().map(each -> row(each, now)).toList()));
        if (parked.waiting() > messages.size()) {
            Output.say("… and " + Output.number(parked.waiting() - messages.size())
                    + " more; 'baton parked export' writes them all.");
        }
    }

    private static List<String> row(Message message, Instant now) {
        return List.of(
                Long.toString(message.position()),
                Durations.ago(message.recordedAt(), now),
                message.type() == null ? "-" : message.type(),
                message.isJson()
                        ? Output.shortened(message.text(), 80)
                        : "(" + Output.count(message.payload().length, "byte") + ")");
    }
}
