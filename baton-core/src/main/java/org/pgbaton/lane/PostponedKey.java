package org.pgbaton.lane;

import org.jspecify.annotations.Nullable;

/** A key that was drained, and failed or is to be called later: what is stored of it. */
public record PostponedKey(
        String key,
        AsideEntry.State state,
        int attempts,
        @Nullable String error,
        long waitMillis) {}
