package org.pgbaton.lane;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.FeedException;

/**
 * A lane's way to a target with transactions, and what the target has of keys that are set aside and PostgreSQL does not know yet.
 *
 * <p>Guarantee: in this tenure nothing is offered to the target that it has committed already; and the target keeps a key's mark, for the
 * lane's next owner, until PostgreSQL has committed everything that the mark says.
 *
 * <p>Protocol of a drain: 1. {@link #publishOf} the messages with the key's mark; 2. forget them in PostgreSQL; 3. {@link #settled}.
 * Between 1 and 3, however often 2 fails, {@link #unsettled} tells up to where the target has the key. A mark that is settled is removed by
 * any later transaction; one that is written anew before that stays.
 *
 * <p>Thread-safe: one transaction after the other, so that no removal that was decided before a mark was written comes after it.
 */
public final class LaneFeed {
    /** In one transaction; the others go with the next ones. */
    private static final int MOST_REMOVALS = 1000;

    private final Feed feed;
    private final Generation generation;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final Map<String, Long> unsettled = new ConcurrentHashMap<>();
    /** Names of marks that nobody needs any more. */
    private final Set<String> obsolete = ConcurrentHashMap.newKeySet();

    /** @param generation of the subscription, in this tenure */
    public LaneFeed(Feed feed, Generation generation) {
        this.feed = feed;
        this.generation = generation;
    }

    /** The marks that were recorded when the feed was taken over. */
    public Map<String, String> marks() {
        return feed.marks();
    }

    public Generation generation() {
        return generation;
    }

    /**
     * Publishes what was read from the log.
     *
     * @param last everything up to this message is published by this, or has been recorded as passed over
     * @throws FeedException if it failed
     */
    public void publish(List<Message> messages, Delivery delivery, Message last) {
        transact(messages, delivery, FeedProgress.OF_GROUP, last);
    }

    /**
     * Publishes the next messages of a key that is set aside.
     *
     * @throws FeedException if it failed
     */
    public void publishOf(String key, List<Message> messages, Delivery delivery) {
        Message last = messages.get(messages.size() - 1);
        transact(messages, delivery, FeedProgress.ofKey(key), last);
        unsettled.put(key, last.position());
    }

    private void transact(List<Message> messages, Delivery delivery, String name, Message last) {
        turn.lock();
        try {
            obsolete.remove(name);
            List<String> removed =
                    new ArrayList<>(obsolete.stream().limit(MOST_REMOVALS).toList());
            Map<String, String> marks = new HashMap<>();
            removed.forEach(mark -> marks.put(mark, ""));
            marks.put(name, FeedProgress.at(generation.recorded(), last).recorded());
            feed.publish(messages, delivery, marks);
            obsolete.removeAll(removed);
        } finally {
            turn.unlock();
        }
    }

    /** Up to where the target has this key's messages although PostgreSQL may not know; 0 if PostgreSQL knows. */
    public long unsettled(String key) {
        return unsettled.getOrDefault(key, 0L);
    }

    /** PostgreSQL has committed that these messages of the key do not wait any more. */
    public void settled(String key, long upTo) {
        if (unsettled.remove(key, upTo)) {
            obsolete(FeedProgress.ofKey(key));
        }
    }

    /** A mark that says nothing PostgreSQL does not know. */
    public void obsolete(String mark) {
        obsolete.add(mark);
    }

    /** Does not wait for its turn: a transaction that is under way is aborted. May take its time. */
    void close() {
        feed.close();
    }
}
