package org.pgbaton.bench.capture;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program that reads a slot.
 *
 * @param settings shown in the report
 * @param module of {@code baton-bench/peers}; empty for a class of {@code baton-bench}
 * @param mainClass for {@link ContestantProgram}; empty: it is {@code pg_recvlogical}
 * @param options of that class, in addition to the addresses
 * @param slot which one; those of Baton's captures are made by Baton
 * @param table where it writes, to be checked afterwards; none if it writes nowhere
 */
record Contestant(
        String name,
        Kind kind,
        String settings,
        String module,
        String mainClass,
        Map<String, String> options,
        String slot,
        @Nullable String table) {
    enum Kind {
        LIMIT,
        /** Reads and understands, and writes nowhere. */
        DECODING,
        BATON,
        DEBEZIUM
    }

    /** Whether it acknowledges nothing. Then it can read the same changes again when its code is compiled. */
    boolean canRepeat() {
        return slot.equals(Contestants.BARE_SLOT) || slot.equals(Contestants.DECODING_SLOT);
    }
}
