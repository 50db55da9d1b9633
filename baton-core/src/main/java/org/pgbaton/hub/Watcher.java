package org.pgbaton.hub;

/** Wants to know what is new in a log. Called by the hub's thread: must return quickly, never throw. */
public interface Watcher {
    void looked(Sight sight);

    /** The connection is lost. After a crash the log may end earlier than it did, so nothing that was seen counts any more. */
    void blind();

    /** Whether it has nothing to do and waits for the next look; else the hub may take its time. */
    boolean isHungry();
}
