package org.pgbaton.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A protocol in the small: some actors, and what they share. Made anew for every schedule. */
public abstract class Model {
    final List<Actor> actors = new ArrayList<>();

    protected final Actor actor(String name) {
        Actor actor = new Actor(name);
        actors.add(actor);
        return actor;
    }

    /** Called by a step that finds a claim broken. */
    public static void require(boolean claim, Supplier<String> otherwise) {
        if (!claim) {
            throw new Violation(otherwise.get());
        }
    }

    /**
     * Nobody can go on.
     *
     * @return whether somebody can now
     */
    protected abstract boolean atRest();

    /** A claim does not hold. */
    static final class Violation extends RuntimeException {
        private static final long serialVersionUID = 1;

        Violation(String what) {
            super(what, null, false, false);
        }
    }
}
