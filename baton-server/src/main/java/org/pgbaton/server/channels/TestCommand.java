package org.pgbaton.server.channels;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.NotThereException;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.Suggestion;
import org.pgbaton.server.notice.Channel;
import org.pgbaton.server.notice.ChannelConfig;
import org.pgbaton.server.notice.Notice;
import org.pgbaton.server.notice.RowChange;
import org.pgbaton.server.serve.BatonYaml;
import org.pgbaton.server.serve.CaptureConfig;
import org.pgbaton.server.serve.ConfigOption;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton channels test}. */
@Command(
        name = "test",
        mixinStandardHelpOptions = true,
        description =
                "Shows what the channel would send for a row change; with --send it really sends it, once. No database is needed. "
                        + "Exits with 1 if nothing would be sent, because no rule chooses the change or no notice can be written, or if sending failed.",
        header = {
            "Shows what a channel would send.",
            "",
            "Examples:",
            "  baton channels test ops",
            "  baton channels test ops --row '{\"id\": 7, \"severity\": \"high\"}'",
            "  baton channels test ops --row '{\"table\": \"public.alert\", \"operation\": \"delete\", \"before\": {\"id\": 7}}'",
            "  baton channels test ops --send",
            ""
        })
final class TestCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The channel.")
    private String name = "";

    @Option(
            names = "--row",
            paramLabel = "JSON",
            description =
                    "The row after an insert, or a whole change with table, operation, before and after (default: a sample).")
    private @Nullable String row;

    @Option(names = "--send", description = "Really send it, once, whatever the rules say.")
    private boolean send;

    @Mixin
    private ConfigOption config = new ConfigOption();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        BatonYaml yaml = config.read();
        ChannelConfig channelConfig = named(yaml);
        Message message = message(yaml);
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put("channel", channelConfig.name());
        result.put("kind", channelConfig.kind());
        result.put("target", channelConfig.target());
        @Nullable String problem;
        try (Channel channel = channelConfig.open()) {
            problem = tryOut(channel, message, result);
        }
        result.put("problem", problem);
        if (json) {
            Output.json(result);
        }
        if (problem != null) {
            Output.say("baton: " + problem);
        }
        return problem == null ? ExitCode.DONE : ExitCode.NEGATIVE;
    }

    private ChannelConfig named(BatonYaml yaml) {
        List<String> names = yaml.channels().stream().map(ChannelConfig::name).toList();
        return yaml.channels().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new NotThereException(
                        "There is no channel '" + name + "' in " + yaml.file() + Suggestion.didYouMean(name, names)));
    }

    /** A change of the first table that is captured for the channel, unless the row names its table. */
    private Message message(BatonYaml yaml) {
        for (CaptureConfig capture : yaml.captures()) {
            if (capture.channels().contains(name) && !capture.tables().isEmpty()) {
                CaptureConfig.Table table = capture.tables().get(0);
                return SampleChange.of(row, table.name(), table.key().isEmpty() ? capture.key() : table.key());
            }
        }
        return SampleChange.of(row, "public.sample", List.of());
    }

    /** @return why nothing would be sent, or why sending failed; null if all is well */
    private @Nullable String tryOut(Channel channel, Message message, Map<String, @Nullable Object> result)
            throws InterruptedException {
        try {
            RowChange change = RowChange.of(message);
            boolean about = channel.isAbout(change);
            Notice notice = channel.notice(List.of(change));
            result.put("about", about);
            result.put("notice", notice.parts());
            if (!json) {
                Output.line("to: " + channel.target());
                notice.parts().forEach((part, text) -> Output.text(part + ": " + text));
            }
            if (send) {
                channel.send(notice, message, new Delivery("test-" + name, "", 0, 1))
                        .toCompletableFuture()
                        .get();
                result.put("sent", true);
                Output.say("baton: Sent.");
                return null;
            }
            return about ? null : "No rule of channel '" + name + "' is about this change: nothing would be sent.";
        } catch (HandlerException refused) {
            return refused.getMessage();
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            return cause == null ? failed.toString() : String.valueOf(cause.getMessage());
        }
    }
}
