package org.pgbaton.spring.actuator;

import java.util.Map;

/**
 * The health of one part of Baton in this process. Immutable.
 *
 * @param up whether it does what it was told to do; standing by and being paused are that, too
 * @param details by name, without secrets
 */
public record PartHealth(boolean up, Map<String, Object> details) {
    /** Copies the details. */
    public PartHealth {
        details = Map.copyOf(details);
    }
}
