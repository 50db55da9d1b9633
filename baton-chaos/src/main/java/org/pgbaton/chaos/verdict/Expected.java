package org.pgbaton.chaos.verdict;

import java.util.Map;
import java.util.Set;

/**
 * What a scenario promises.
 *
 * @param projections names of subscriptions whose effects are in the history; in total order or not
 * @param targets names of endpoints that get everything, and whether each message comes there exactly once
 * @param retired the projection that was replaced in the midst of it: what it did is the beginning of what is promised; or empty
 * @param undisturbed projections that the fault does not concern
 * @param failing keys that fail for a while
 * @param again how many arrivals may be of messages that had arrived already
 * @param rewound whether an operator moved checkpoints back
 * @param inTime whether takeovers have to be in time: not if something else went wrong beside
 */
public record Expected(
        Map<String, Boolean> projections,
        Map<String, Boolean> targets,
        String retired,
        Set<String> undisturbed,
        Set<String> failing,
        int again,
        boolean rewound,
        boolean inTime) {}
