package org.pgbaton.lane;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which time a subscription is being read: another after every rewind, or if it was deleted and made again.
 *
 * @param subscription as one word that no other subscription has
 * @param number from 1
 * @param rewinds the position to which it was rewound when generation 2 began, and 3, and so on; null where it is not known
 */
public record Generation(String subscription, long number, List<@Nullable Long> rewinds) {
    /** As one word. */
    public String recorded() {
        return subscription + '.' + number;
    }

    /**
     * Up to where messages that were sent in a generation are not to be sent again: all of the present one; of an earlier one those before
     * every position to which it was rewound since; none if that is not known, or it was another subscription.
     */
    long keeps(String sentIn) {
        if (sentIn.equals(recorded())) {
            return Long.MAX_VALUE;
        }
        long earlier = numberOf(sentIn);
        if (earlier < 1 || earlier >= number || rewinds.size() < number - 1) {
            return 0;
        }
        long kept = Long.MAX_VALUE;
        for (Long to : rewinds.subList((int) earlier - 1, (int) number - 1)) {
            kept = Math.min(kept, to == null ? 0 : to);
        }
        return kept;
    }

    private long numberOf(String sentIn) {
        String start = subscription + '.';
        try {
            return sentIn.startsWith(start) ? Long.parseLong(sentIn.substring(start.length())) : 0;
        } catch (NumberFormatException garbled) {
            return 0;
        }
    }
}
