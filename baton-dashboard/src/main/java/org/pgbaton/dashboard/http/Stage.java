package org.pgbaton.dashboard.http;

import java.util.List;

/** The workers of a demonstration, and what can be done to them from the page. Thread-safe. */
public interface Stage {
    /** What can be done to a worker. */
    enum Deed {
        /** {@code kill -9}; another worker is started in its place. */
        KILL,
        /** {@code SIGSTOP} for longer than the lease, then {@code SIGCONT}. */
        FREEZE,
        /** Its connections to the database are cut, and new ones refused for a while. */
        CUT;

        /** The word that requests and pages use. */
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /**
     * A worker.
     *
     * @param state "working", "frozen", "cut off"
     */
    record Actor(String name, long pid, String state) {}

    /** Those that are there now. */
    List<Actor> actors();

    /** What happened last, in sentences, the latest first. */
    List<String> news();

    /** Whether leaders are killed without being asked. */
    boolean isGremlinLoose();

    /** Lets the gremlin loose, or catches it. */
    void gremlin(boolean loose);

    /**
     * Does something to a worker.
     *
     * @return what happens now, in a sentence
     */
    String act(String worker, Deed deed);
}
