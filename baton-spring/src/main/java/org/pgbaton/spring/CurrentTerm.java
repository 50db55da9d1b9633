package org.pgbaton.spring;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.Term;

/** The term in which a method with {@link LeaderOnly} runs, on its thread. */
public final class CurrentTerm {
    private static final ThreadLocal<@Nullable Term> CURRENT = new ThreadLocal<>();

    private CurrentTerm() {}

    /** The term of this thread; empty outside methods with {@link LeaderOnly}. */
    public static Optional<Term> get() {
        return Optional.ofNullable(CURRENT.get());
    }

    /** Something that runs within a term. */
    @FunctionalInterface
    public interface Body {
        /**
         * Runs.
         *
         * @throws Exception if it failed
         */
        void run() throws Exception;
    }

    /**
     * Runs something as if it were in a method with {@link LeaderOnly}.
     *
     * @throws Exception what it throws
     */
    public static void with(Term term, Body body) throws Exception {
        Term outer = CURRENT.get();
        CURRENT.set(term);
        try {
            body.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }
}
