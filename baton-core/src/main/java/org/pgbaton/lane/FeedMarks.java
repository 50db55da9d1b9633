package org.pgbaton.lane;

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
public final class FeedMarks {
    private final Map<String, String> recorded;
    private final Generation generation;
    private final Predicate<FeedProgress> isInLog;

    /**
     * @param generation the present one
     * @param isInLog whether the log has this very message at this position; asked only where nothing else is in the way
     */
    public FeedMarks(Map<String, String> recorded, Generation generation, Predicate<FeedProgress> isInLog) {
        this.recorded = recorded;
        this.generation = generation;
        this.isInLog = isInLog;
    }

    /** Up to where the target has everything, or it was recorded as passed over; no less than the checkpoint. */
    public long ofGroup(long checkpoint) {
        return Math.max(checkpoint, counting(FeedProgress.OF_GROUP, checkpoint));
    }

    /** Of these keys, which are set aside: up to where the target has their messages, if it has any. */
    public Map<String, Long> ofKeys(Collection<String> keys) {
        Map<String, Long> published = new HashMap<>();
        for (String key : keys) {
            long upTo = counting(FeedProgress.ofKey(key), 0);
            if (upTo > 0) {
                published.put(key, upTo);
            }
        }
        return published;
    }

    /**
     * Marks that are not needed any more once PostgreSQL has committed what {@link #ofKeys} says: all but the group's.
     */
    public Set<String> removable() {
        Set<String> names = new HashSet<>(recorded.keySet());
        names.remove(FeedProgress.OF_GROUP);
        return names;
    }

    /** 0 if it says nothing beyond that position. */
    private long counting(String name, long beyond) {
        FeedProgress progress = FeedProgress.read(recorded.get(name));
        if (progress == null) {
            return 0;
        }
        long upTo = Math.min(progress.position(), generation.keeps(progress.generation()));
        return upTo > beyond && isInLog.test(progress) ? upTo : 0;
    }
}
