package org.pgbaton.chaos.report;

import org.jspecify.annotations.Nullable;

/**
 * A lane of a subscription, or a leadership, at one moment.
 *
 * @param millis since the round began
 * @param of the subscription's or the leadership's name
 * @param lane 0 for a leadership
 * @param owner null: nobody
 */
public record Look(
        long millis,
        Kind kind,
        String of,
        int lane,
        @Nullable String owner,
        long epoch) {
    /** What can be owned. */
    public enum Kind {
        SUBSCRIPTION,
        LEADERSHIP
    }

    /** Messages that a subscription had not handled at one moment. */
    public record Waiting(long millis, String of, long messages) {}
}
