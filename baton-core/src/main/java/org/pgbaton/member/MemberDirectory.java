package org.pgbaton.member;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.pgbaton.database.BatonException;
import org.pgbaton.session.LineLogger;
import org.slf4j.Logger;

/**
 * Knows to which subscription each member's number belongs. What a look saw is sorted by subscription once, not once for each
 * subscription that asks. Thread-safe.
 */
public final class MemberDirectory {
    private static final Logger log = LineLogger.of(MemberDirectory.class);

    /**
     * The members that a look saw.
     *
     * @param known the subscriptions of members, as they were known then
     * @param complete whether the subscription of each of them is known
     */
    private record Sorted(
            Set<Integer> alive,
            Map<Integer, Integer> known,
            Map<Integer, Set<Integer>> bySubscription,
            boolean complete) {}

    private final Supplier<Map<Integer, Integer>> members;
    private final Executor threads;
    private final Runnable whenLookedUp;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile Map<Integer, Integer> subscriptionOf = Map.of();
    private volatile Sorted last = new Sorted(Set.of(), Map.of(), Map.of(), true);

    /** @param members the subscription of each member's number, from the database */
    public MemberDirectory(Supplier<Map<Integer, Integer>> members, Executor threads, Runnable whenLookedUp) {
        this.members = members;
        this.threads = threads;
        this.whenLookedUp = whenLookedUp;
    }

    /** Which of the live members belong to that subscription. A number that is new here is looked up, and counts from the next time on. */
    Set<Integer> aliveIn(int subscription, Set<Integer> alive) {
        Sorted sorted = last;
        // Looks that see the same members give the same set.
        Map<Integer, Integer> known = subscriptionOf;
        if (sorted.alive != alive || sorted.known != known) {
            sorted = sort(alive, known);
            last = sorted;
        }
        if (!sorted.complete && looking.compareAndSet(false, true)) {
            threads.execute(this::lookUp);
        }
        return new HashSet<>(sorted.bySubscription.getOrDefault(subscription, Set.of()));
    }

    private static Sorted sort(Set<Integer> alive, Map<Integer, Integer> known) {
        Map<Integer, Set<Integer>> bySubscription = new HashMap<>();
        boolean complete = true;
        for (int number : alive) {
            Integer of = known.get(number);
            if (of == null) {
                complete = false;
            } else {
                bySubscription.computeIfAbsent(of, any -> new HashSet<>()).add(number);
            }
        }
        return new Sorted(alive, known, bySubscription, complete);
    }

    private void lookUp() {
        try {
            subscriptionOf = Map.copyOf(members.get());
            whenLookedUp.run();
        } catch (BatonException trouble) {
            log.debug("The members cannot be read", trouble);
        } finally {
            looking.set(false);
        }
    }
}
