package org.pgbaton.server.serve;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.MessageOrder;

/** What a file lets run: tables and lines for people, JSON for programs. */
public final class BatonYamlOutput {
    private BatonYamlOutput() {}

    /** "2 relays", "1 relay, 1 capture and 2 channels". */
    public static String counts(BatonYaml yaml) {
        List<String> counts = new ArrayList<>();
        if (!yaml.relays().isEmpty()) {
            counts.add(Output.count(yaml.relays().size(), "relay"));
        }
        if (!yaml.captures().isEmpty()) {
            counts.add(Output.count(yaml.captures().size(), "capture"));
        }
        if (!yaml.channels().isEmpty()) {
            counts.add(Output.count(yaml.channels().size(), "channel"));
        }
        String last = counts.remove(counts.size() - 1);
        return counts.isEmpty() ? last : String.join(", ", counts) + " and " + last;
    }

    /** A line for each relay, capture and channel. */
    public static List<String> lines(BatonYaml yaml) {
        Stream<String> relays = yaml.relays().stream()
                .map(relay -> "Relay '" + relay.name() + "': log '" + relay.log() + "' to " + relay.target() + ", "
                        + (relay.order() == MessageOrder.TOTAL ? "in total order" : "in order per key") + ".");
        Stream<String> captures = yaml.captures().stream()
                .map(capture -> "Capture '" + capture.name() + "': "
                        + (capture.tables().isEmpty() ? "messages" : String.join(", ", capture.tableNames()))
                        + " to log '" + capture.log() + "'.");
        Stream<String> channels = yaml.channelSubscriptions().stream()
                .map(each -> "Channel '" + each.subscription() + "': log '" + each.log() + "' to "
                        + each.channel().target() + ".");
        return Stream.of(relays, captures, channels).flatMap(each -> each).toList();
    }

    /** For people. */
    public static void printTables(BatonYaml yaml) {
        printTable(
                List.of("RELAY", "LOG", "SUBSCRIPTION", "ORDER", "WORKERS", "TARGET"),
                yaml.relays().stream().map(BatonYamlOutput::row).toList());
        printTable(
                List.of("CAPTURE", "LOG", "TABLES", "OPERATIONS"),
                yaml.captures().stream().map(BatonYamlOutput::row).toList());
        printTable(
                List.of("CHANNEL", "LOG", "SUBSCRIPTION", "START", "TARGET"),
                yaml.channelSubscriptions().stream().map(BatonYamlOutput::row).toList());
    }

    private static void printTable(List<String> head, List<List<String>> rows) {
        if (!rows.isEmpty()) {
            Output.text(Output.table(head, rows));
        }
    }

    private static List<String> row(RelayConfig relay) {
        return List.of(
                relay.name(),
                relay.log(),
                relay.subscription(),
                relay.order().word(),
                Integer.toString(relay.workers()),
                relay.target().toString());
    }

    private static List<String> row(CaptureConfig capture) {
        return List.of(
                capture.name(),
                capture.log(),
                String.join(", ", capture.tableNames()),
                capture.operations().isEmpty() ? "all" : String.join(", ", capture.operations()));
    }

    private static List<String> row(ChannelSubscription channel) {
        return List.of(
                channel.channel().name(),
                channel.log(),
                channel.subscription(),
                channel.channel().start(),
                channel.channel().target());
    }

    /** For programs. */
    public static Map<String, Object> asMap(BatonYaml yaml, boolean databaseChecked) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("file", yaml.file().toString());
        map.put("databaseChecked", databaseChecked);
        map.put("relays", yaml.relays().stream().map(BatonYamlOutput::asMap).toList());
        map.put("captures", yaml.captures().stream().map(BatonYamlOutput::asMap).toList());
        map.put(
                "channels",
                yaml.channelSubscriptions().stream().map(BatonYamlOutput::asMap).toList());
        return map;
    }

    private static Map<String, Object> asMap(RelayConfig relay) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", relay.name());
        map.put("log", relay.log());
        map.put("subscription", relay.subscription());
        map.put("order", relay.order().word());
        map.put("workers", relay.workers());
        map.put("target", relay.target().toString());
        return map;
    }

    private static Map<String, Object> asMap(CaptureConfig capture) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", capture.name());
        map.put("log", capture.log());
        map.put("tables", capture.tableNames());
        map.put("operations", capture.operations());
        map.put("channels", capture.channels());
        return map;
    }

    private static Map<String, Object> asMap(ChannelSubscription channel) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", channel.channel().name());
        map.put("log", channel.log());
        map.put("subscription", channel.subscription());
        map.put("start", channel.channel().start());
        map.put("target", channel.channel().target());
        return map;
    }
}
