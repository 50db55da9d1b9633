package org.pgbaton.dashboard.page;

/**
 * Something that is wrong, and what to do about it.
 *
 * @param sentence what is wrong
 * @param step what to do next
 * @param link where
 */
public record Trouble(Level level, String sentence, String step, String link) {
    /** The worst first. */
    public enum Level {
        /** Messages are lost, or nothing moves. */
        BAD,
        /** Somebody should look soon. */
        WARN,
        /** Somebody wanted it so. */
        NOTE;

        String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
