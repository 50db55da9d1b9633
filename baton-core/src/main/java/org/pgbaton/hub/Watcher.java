package org.pgbaton.hub;

/** Somebody in this process who wants to know what is new in a log. Called by the hub's thread: must return quickly, never throw. */
public interface Watcher {
    void looked(Sight sight);

    /** Whether it has nothing to do and waits for the next look; else the hub may take its time. */
    boolean isHungry();
}
