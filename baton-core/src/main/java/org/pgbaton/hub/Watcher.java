package org.pgbaton.hub;

/** Somebody in this process who wants to know what is new in a log. Called by the hub's thread: must return quickly, never throw. */
public interface Watcher {
    void looked(Sight sight);

    /** The connection is lost: after a crash the log may end before where it ended. What was seen counts no more. */
    void blind();

    /** Whether it has nothing to do and waits for the next look; else the hub may take its time. */
    boolean isHungry();
}
