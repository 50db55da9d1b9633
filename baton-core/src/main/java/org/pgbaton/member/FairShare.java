package org.pgbaton.member;

import java.util.Collection;

/**
 * How many lanes each member aims at. All members compute the same from what they see, and need not talk to each other: the older ones
 * take one more where the lanes cannot be shared evenly. So members keep their lanes, and a newcomer takes as few as possible.
 */
public final class FairShare {
    private FairShare() {}

    /** @param alive the numbers of all live members, ours among them */
    public static int of(int lanes, Collection<Integer> alive, int ours) {
        int members = Math.max(1, alive.size());
        long older = alive.stream().filter(number -> number < ours).count();
        return lanes / members + (older < lanes % members ? 1 : 0);
    }
}
