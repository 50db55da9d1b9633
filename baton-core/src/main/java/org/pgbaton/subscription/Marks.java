package org.pgbaton.subscription;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The marks that were recorded in a target when a lane was taken over, and how far each of them counts: as far as rewinds since have not
 * asked for the messages again, and only if the log has the mark's very message. Belongs to one thread.
 */
final class Marks {
    private final Map<String, String> recorded;
    private final Generation generation;
    private final Predicate<Progress> isInLog;

    /**
     * @param generation the present one
     * @param isInLog whether the log has this very message at this position; asked only where nothing else is in the way
     */
    Marks(Map<String, String> recorded, Generation generation, Predicate<Progress> isInLog) {
        this.recorded = recorded;
        this.generation = generation;
        this.isInLog = isInLog;
    }

    /** Up to where the target has everything, or it was recorded as passed over; no less than the checkpoint. */
    long ofGroup(long checkpoint) {
        return Math.max(checkpoint, counting(Progress.OF_GROUP, checkpoint));
    }

    /** Of these keys, which are set aside: up to where the target has their messages, if it has any. */
    Map<String, Long> ofKeys(Collection<String> keys) {
        Map<String, Long> published = new HashMap<>();
        for (String key : keys) {
            long upTo = counting(Progress.ofKey(key), 0);
            if (upTo > 0) {
                published.put(key, upTo);
            }
        }
        return published;
    }

    /**
     * Those that nobody needs any more as soon as PostgreSQL has committed what {@link #ofKeys} says: of keys that are set aside, of others,
     * and those that do not count.
     */
    Set<String> removable() {
        Set<String> names = new HashSet<>(recorded.keySet());
        names.remove(Progress.OF_GROUP);
        return names;
    }

    /** 0 if it says nothing beyond that position. */
    private long counting(String name, long beyond) {
        Progress progress = Progress.read(recorded.get(name));
        if (progress == null) {
            return 0;
        }
        long upTo = Math.min(progress.position(), generation.keeps(progress.generation()));
        return upTo > beyond && isInLog.test(progress) ? upTo : 0;
    }
}
