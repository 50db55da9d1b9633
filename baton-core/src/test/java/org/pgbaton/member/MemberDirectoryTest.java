package org.pgbaton.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MemberDirectoryTest {
    private static final int MANY = 100;

    private final Map<Integer, Integer> stored = new HashMap<>();
    private final AtomicInteger lookUps = new AtomicInteger();
    private final MemberDirectory directory = new MemberDirectory(
            () -> {
                lookUps.incrementAndGet();
                return stored;
            },
            Runnable::run,
            () -> {});

    @Test
    void aNumberIsLookedUpOnceAndCountsFromTheNextTimeOn() {
        stored.put(7, 1);
        stored.put(8, 2);
        Set<Integer> alive = Set.of(7, 8);
        assertThat(directory.aliveIn(1, alive)).isEmpty();
        assertThat(directory.aliveIn(1, alive)).containsExactly(7);
        assertThat(directory.aliveIn(2, alive)).containsExactly(8);
        assertThat(lookUps).hasValue(1);
    }

    @Test
    void aMemberThatIsNotAliveAnyMoreDoesNotCount() {
        stored.put(7, 1);
        stored.put(8, 1);
        directory.aliveIn(1, Set.of(7, 8));
        assertThat(directory.aliveIn(1, Set.of(7, 8))).containsExactlyInAnyOrder(7, 8);
        assertThat(directory.aliveIn(1, Set.of(8))).containsExactly(8);
    }

    /** A number that has no row, such as that of a lock that a stranger took, is looked up at each look, as it may still get one. */
    @Test
    void aNumberWithoutARowHidesNobody() {
        stored.put(7, 1);
        Set<Integer> alive = Set.of(7, 99);
        directory.aliveIn(1, alive);
        assertThat(directory.aliveIn(1, alive)).containsExactly(7);
        stored.put(99, 1);
        directory.aliveIn(1, alive);
        assertThat(directory.aliveIn(1, alive)).containsExactlyInAnyOrder(7, 99);
    }

    /** Otherwise the cost of a look would grow with the square of the number of subscriptions. */
    @Test
    void manySubscriptionsGoThroughTheMembersOnce() {
        AtomicInteger rounds = new AtomicInteger();
        Set<Integer> alive = new CountedSet(rounds);
        for (int number = 0; number < MANY; number++) {
            stored.put(number, number);
            alive.add(number);
        }
        directory.aliveIn(0, alive);
        rounds.set(0);
        for (int subscription = 0; subscription < MANY; subscription++) {
            assertThat(directory.aliveIn(subscription, alive)).containsExactly(subscription);
        }
        assertThat(rounds).hasValue(1);
    }

    private static final class CountedSet extends HashSet<Integer> {
        private static final long serialVersionUID = 1L;

        private final transient AtomicInteger rounds;

        CountedSet(AtomicInteger rounds) {
            this.rounds = rounds;
        }

        @Override
        public Iterator<Integer> iterator() {
            rounds.incrementAndGet();
            return super.iterator();
        }
    }
}
