package org.pgbaton.server.serve;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.pgbaton.server.command.Suggestion;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Settings;
import org.pgbaton.server.notice.ChannelConfig;

/** Checks that the names in a file are unique, and that captures and channels name each other. Notes what is wrong. */
final class NameChecks {
    private final List<Settings> relays;
    private final List<Settings> captures;
    private final List<Settings> channels;
    private final Set<String> named = new HashSet<>();

    NameChecks(List<Settings> relays, List<Settings> captures, List<Settings> channels) {
        this.relays = relays;
        this.captures = captures;
        this.channels = channels;
    }

    void check() {
        checkUnique(relays, "relay name", RelayConfig.NAME);
        Map<String, Integer> subscriptions = checkRelaySubscriptions();
        checkUnique(captures, "capture name", CaptureConfig.NAME);
        checkUnique(channels, "channel name", ChannelConfig.NAME);
        checkChannelSubscriptions(subscriptions);
        captures.forEach(this::checkChannelsExist);
        channels.forEach(this::checkHasSource);
    }

    private static void checkUnique(List<Settings> all, String what, Key<String> key) {
        Map<String, Integer> lines = new HashMap<>();
        for (Settings each : all) {
            String name = each.find(key);
            Integer before = name == null || name.isEmpty() ? null : lines.putIfAbsent(name, each.line(key));
            if (before != null) {
                each.problem(key, what + " '" + name + "' is given twice, first in line " + before);
            }
        }
    }

    /**
     * Two subscriptions with one name would share the messages, so that each target would miss some.
     *
     * @return the lines of the names
     */
    private Map<String, Integer> checkRelaySubscriptions() {
        Map<String, Integer> lines = new HashMap<>();
        for (Settings relay : relays) {
            String name = RelayConfig.subscription(relay);
            Integer before = name.isEmpty() ? null : lines.putIfAbsent(name, relay.line(RelayConfig.SUBSCRIPTION));
            // Without the key the relay's name counts, which was checked before.
            if (before != null && relay.has(RelayConfig.SUBSCRIPTION)) {
                relay.problem(RelayConfig.SUBSCRIPTION, givenTwice(name, before));
            }
        }
        return lines;
    }

    /** A relay may have the same name as the subscription of a channel. */
    private void checkChannelSubscriptions(Map<String, Integer> lines) {
        for (Settings capture : captures) {
            for (String channel : capture.list(CaptureConfig.CHANNELS)) {
                String name = capture.find(CaptureConfig.NAME) + "-" + channel;
                Integer before = lines.get(name);
                if (before != null) {
                    capture.problem(CaptureConfig.CHANNELS, givenTwice(name, before));
                }
            }
        }
    }

    private static String givenTwice(String subscription, int line) {
        return "subscription '" + subscription + "' is given twice, first in line " + line;
    }

    private void checkChannelsExist(Settings capture) {
        List<String> known = channels.stream()
                .map(each -> each.find(ChannelConfig.NAME))
                .filter(Objects::nonNull)
                .toList();
        for (String name : capture.list(CaptureConfig.CHANNELS)) {
            if (!known.contains(name)) {
                capture.problem(
                        CaptureConfig.CHANNELS,
                        "there is no channel '" + name + "' for " + capture.title()
                                + Suggestion.nearest(name, known)
                                        .map(near -> ": did you mean '" + near + "'?")
                                        .orElse(": describe it under 'channels'"));
            } else if (!named.add(capture.find(CaptureConfig.NAME) + "-" + name)) {
                capture.problem(CaptureConfig.CHANNELS, "channel '" + name + "' is named twice by " + capture.title());
            }
        }
    }

    /** A channel without a source that no capture names would never send anything. */
    private void checkHasSource(Settings channel) {
        String name = channel.find(ChannelConfig.NAME);
        if (name == null || ChannelConfig.hasSource(channel)) {
            return;
        }
        boolean isNamed = captures.stream()
                .anyMatch(each -> each.list(CaptureConfig.CHANNELS).contains(name));
        if (!isNamed) {
            channel.problem(
                    channel.line(),
                    channel.title()
                            + " is named by no capture, so nothing would go there: name it under 'channels' of one, or "
                            + "give it a 'source'");
        }
    }
}
