package org.pgbaton.server.parked;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.Durations;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.MessageJson;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import org.pgbaton.server.subscriptions.Named;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
final class ShowCommand extends OperatorCommand {
    private static final List<String> HEAD = List.of("POSITION", "RECORDED", "TYPE", "PAYLOAD");

    @Parameters(index = "0", paramLabel = "SUBSCRIPTION", description = "The subscription.")
    private String subscription = "";

    @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
    private String key = "";

    @Option(names = "--target", paramLabel = "TARGET", description = "Another target than the live one.")
    private @Nullable String target;

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
    protected int run(Baton baton, DatabaseOptions.Place place) {
        SubscriptionStatus in = Named.liveOr(baton, subscription, target);
        ParkedKey found = ParkedTable.find(baton, in, key);
        List<Message> messages =
                baton.subscriptions().ofTarget(in.target()).parkedMessages(subscription, key, 0, limit);
        if (json) {
            Map<String, @Nullable Object> map = ParkedTable.asMap(found);
            map.put("messages", messages.stream().map(MessageJson::of).toList());
            Output.json(map);
        } else {
            print(found, messages);
        }
        return ExitCode.DONE;
    }

    private static void print(ParkedKey found, List<Message> messages) {
        Instant now = Instant.now();
        Output.line("Key '" + found.key() + "' of subscription '" + found.subscription() + "' is "
                + found.state()
                + ", blocked by message " + found.head() + "; set aside " + Durations.ago(found.since(), now) + ", "
                + Output.count(found.attempts(), "attempt") + ", next try: " + ParkedTable.nextTry(found, now) + "; "
                + Output.count(found.waiting(), "message") + " in all.");
        if (found.error() != null) {
            Output.line("");
            found.error().stripTrailing().lines().forEach(line -> Output.line("  " + line));
        }
        Output.line("");
        Output.text(
                Output.table(HEAD, messages.stream().map(each -> row(each, now)).toList()));
        if (found.waiting() > messages.size()) {
            Output.say("… and " + Output.number(found.waiting() - messages.size())
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
