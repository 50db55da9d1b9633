package org.pgbaton.subscription;

/** What a member does about other members of the same subscription. */
public enum InstanceMode {
    /** Members share the lanes; in total order one works and the others stand by. */
    COORDINATED,
    /** As {@link #COORDINATED}, but starting fails if another live member exists. */
    FAIL,
    /** As {@link #COORDINATED}, but if another live member exists, nothing is started. */
    SKIP,
    /**
     * No locks and no waiting: takes every lane at once by its epoch. Whoever had them before, and whoever else starts in this mode
     * later, fences the earlier one, which then stops.
     */
    SINGLE
}
