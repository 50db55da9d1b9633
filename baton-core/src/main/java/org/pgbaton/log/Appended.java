package org.pgbaton.log;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where a draft is in the log.
 *
 * @param version its number within its stream; null if it was appended without
 * @param duplicate its id was in the log before, and this append added nothing
 */
public record Appended(
        long position, UUID id, String key, @Nullable Long version, boolean duplicate) {}
