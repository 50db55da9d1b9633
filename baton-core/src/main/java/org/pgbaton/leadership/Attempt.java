package org.pgbaton.leadership;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a bid for leadership ended. That somebody else leads is an answer, not an error. */
public sealed interface Attempt {
    /** We lead. */
    record Leading(Term leading) implements Attempt {}

    /**
     * Somebody else leads.
     *
     * @param holder who, or null if it went away while we looked
     */
    record Held(@Nullable Holder holder) implements Attempt {}

    /** The term, if we lead. */
    default Optional<Term> term() {
        return this instanceof Leading won ? Optional.of(won.leading()) : Optional.empty();
    }
}
