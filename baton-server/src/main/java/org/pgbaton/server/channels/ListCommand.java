package org.pgbaton.server.channels;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.notice.ChannelConfig;
import org.pgbaton.server.serve.BatonYaml;
import org.pgbaton.server.serve.ChannelSubscription;
import org.pgbaton.server.serve.ConfigOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton channels list}. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "Reads the file, and no database.",
        header = {
            "Lists the channels of a configuration file.",
            "",
            "Examples:",
            "  baton channels list",
            "  baton channels list -c /etc/baton.yaml --json",
            ""
        })
final class ListCommand implements Callable<Integer> {
    @Mixin
    private ConfigOption config = new ConfigOption();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() {
        BatonYaml yaml = config.read();
        if (json) {
            Output.json(yaml.channels().stream().map(each -> asMap(each, yaml)).toList());
            return ExitCode.DONE;
        }
        if (yaml.channels().isEmpty()) {
            Output.say("baton: " + yaml.file() + " describes no channels.");
            return ExitCode.DONE;
        }
        List<List<String>> rows = yaml.channels().stream()
                .map(channel -> List.of(
                        channel.name(),
                        channel.kind(),
                        String.join(", ", subscriptions(channel, yaml)),
                        channel.rules() == 0 ? "every change" : Output.count(channel.rules(), "rule"),
                        shown(channel.digest()),
                        channel.rateLimit() == null ? "-" : channel.rateLimit(),
                        channel.target()))
                .toList();
        Output.text(Output.table(
                List.of("CHANNEL", "KIND", "SUBSCRIPTIONS", "WHEN", "DIGEST", "RATE LIMIT", "TARGET"), rows));
        return ExitCode.DONE;
    }

    private static String shown(@Nullable Duration digest) {
        return digest == null ? "-" : Durations.shown(digest);
    }

    private static List<String> subscriptions(ChannelConfig channel, BatonYaml yaml) {
        return yaml.channelSubscriptions().stream()
                .filter(each -> each.channel() == channel)
                .map(ChannelSubscription::subscription)
                .toList();
    }

    private static Map<String, @Nullable Object> asMap(ChannelConfig channel, BatonYaml yaml) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", channel.name());
        map.put("kind", channel.kind());
        map.put("target", channel.target());
        map.put("subscriptions", subscriptions(channel, yaml));
        map.put("start", channel.start());
        map.put("rules", channel.rules());
        Duration digest = channel.digest();
        map.put("digestSeconds", digest == null ? null : digest.toSeconds());
        map.put("rateLimit", channel.rateLimit());
        return map;
    }
}
