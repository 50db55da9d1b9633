package org.pgbaton.server.serve;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.server.capture.CaptureConfig;
import org.pgbaton.server.channel.ChannelConfig;

/**
 * A channel that reads a log: a subscription of its own, so that it holds up no other and no other holds it up.
 *
 * @param subscription the capture's name, or that of the log, a hyphen, and the channel's name
 * @param made whether the log is a capture's, and made if it is not there
 * @param line of the channel, for sentences
 */
public record Feed(ChannelConfig channel, String log, String subscription, boolean made, int line) {
    static List<Feed> of(List<CaptureConfig> captures, List<ChannelConfig> channels) {
        List<Feed> feeds = new ArrayList<>();
        for (ChannelConfig channel : channels) {
            for (CaptureConfig capture : captures) {
                if (capture.channels().contains(channel.name())) {
                    feeds.add(new Feed(
                            channel, capture.log(), capture.name() + "-" + channel.name(), true, channel.line()));
                }
            }
            String source = channel.source();
            if (source != null) {
                feeds.add(new Feed(channel, source, source + "-" + channel.name(), false, channel.line()));
            }
        }
        return List.copyOf(feeds);
    }
}
