package org.pgbaton.member;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.pgbaton.checkpoint.SubscriptionStore;
import org.pgbaton.database.BatonException;
import org.pgbaton.session.LineLogger;
import org.slf4j.Logger;

/** Knows to which subscription each member's number belongs. Thread-safe. */
public final class MemberDirectory {
    private static final Logger log = LineLogger.of(MemberDirectory.class);

    private final SubscriptionStore store;
    private final Executor threads;
    private final Runnable whenLookedUp;
    private final Map<Integer, Integer> subscriptionOf = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();

    public MemberDirectory(SubscriptionStore store, Executor threads, Runnable whenLookedUp) {
        this.store = store;
        this.threads = threads;
        this.whenLookedUp = whenLookedUp;
    }

    /** Which of the live members belong to that subscription. A number that is new here is looked up, and counts from the next time on. */
    Set<Integer> aliveIn(int subscription, Set<Integer> alive) {
        Set<Integer> ours = new HashSet<>();
        boolean unknown = false;
        for (int number : alive) {
            Integer of = subscriptionOf.get(number);
            unknown |= of == null;
            if (of != null && of == subscription) {
                ours.add(number);
            }
        }
        if (unknown && looking.compareAndSet(false, true)) {
            threads.execute(this::lookUp);
        }
        return ours;
    }

    private void lookUp() {
        try {
            Map<Integer, Integer> all = store.members();
            subscriptionOf.putAll(all);
            subscriptionOf.keySet().retainAll(all.keySet());
            whenLookedUp.run();
        } catch (BatonException trouble) {
            log.debug("The members cannot be read", trouble);
        } finally {
            looking.set(false);
        }
    }
}
