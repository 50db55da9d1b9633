package org.pgbaton.member;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.pgbaton.lane.Lane;

/** Which lanes a member gives back, keeps and asks for first, to come to its fair share. Pure: it changes no lane. */
final class Balance {
    private Balance() {}

    /** The lanes beyond the member's share; idle ones first. */
    static List<Lane> surplus(Collection<Lane> staying, int share) {
        return staying.stream()
                .sorted(Comparator.comparing((Lane lane) -> lane.isBusy())
                        .thenComparing(lane -> lane.checkpoint(), Comparator.reverseOrder()))
                .limit(Math.max(0, staying.size() - share))
                .toList();
    }

    /** So many of the lanes that were to be given back: another member left before they were. */
    static List<Lane> kept(Collection<Lane> lanes, int wanted) {
        return lanes.stream()
                .filter(lane -> lane.isSurplus() && !lane.isLeaving())
                .limit(wanted)
                .toList();
    }

    /** Each member starts at another place in the list, so that two that come at the same time do not try the same lanes. */
    static void beginElsewhere(List<?> free, Collection<Integer> alive, int ours) {
        long older = alive.stream().filter(other -> other < ours).count();
        Collections.rotate(free, (int) -(older * free.size() / Math.max(1, alive.size())));
    }
}
