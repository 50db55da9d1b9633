package org.pgbaton.server.serve;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.server.notice.ChannelConfig;

/**
 * A channel that reads a log. Each pair of channel and log has a subscription of its own, so that none delays another. Immutable.
 *
 * @param subscription its name: the name of the capture or of the log, a hyphen, and the channel's name
 * @param captured whether a capture of the same file writes the log, and creates it if there is none
 * @param line where the channel stands in the file
 */
public record ChannelSubscription(ChannelConfig channel, String log, String subscription, boolean captured, int line) {
    boolean sameAs(ChannelSubscription other) {
        return log.equals(other.log) && subscription.equals(other.subscription) && channel.sameAs(other.channel);
    }

    static List<ChannelSubscription> of(List<CaptureConfig> captures, List<ChannelConfig> channels) {
        List<ChannelSubscription> all = new ArrayList<>();
        for (ChannelConfig channel : channels) {
            for (CaptureConfig capture : captures) {
                if (capture.channels().contains(channel.name())) {
                    all.add(new ChannelSubscription(
                            channel, capture.log(), capture.name() + "-" + channel.name(), true, channel.line()));
                }
            }
            String source = channel.source();
            if (source != null) {
                all.add(new ChannelSubscription(channel, source, source + "-" + channel.name(), false, channel.line()));
            }
        }
        return List.copyOf(all);
    }
}
