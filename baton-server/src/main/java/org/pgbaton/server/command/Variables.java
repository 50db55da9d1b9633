package org.pgbaton.server.command;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The environment's variables. An empty one counts as unset: orchestrators set variables to nothing where a value is optional. */
public final class Variables {
    private Variables() {}

    /** The value; null if the variable is not set, or empty. */
    public static @Nullable String get(String name) {
        String value = System.getenv(name);
        return value == null || value.isBlank() ? null : value;
    }

    /** The value as a path; null if the variable is not set, or empty. */
    public static @Nullable Path path(String name) {
        String value = get(name);
        return value == null ? null : Path.of(value);
    }
}
