package org.pgbaton.log;

import org.jspecify.annotations.Nullable;

/**
 * Where a stream must be for an append to happen. The version of a stream is the number of its last message: the first has
 * number 1. Immutable.
 */
public final class ExpectedVersion {
    private enum Kind {
        EXACT,
        NONE,
        ANY,
        EXISTS
    }

    private static final ExpectedVersion NONE_YET = new ExpectedVersion(Kind.NONE, 0);
    private static final ExpectedVersion WHATEVER = new ExpectedVersion(Kind.ANY, 0);
    private static final ExpectedVersion SOME = new ExpectedVersion(Kind.EXISTS, 0);

    private final Kind kind;
    private final long version;

    private ExpectedVersion(Kind kind, long version) {
        this.kind = kind;
        this.version = version;
    }

    /** The stream's last message has this number; 0 means the same as {@link #none}. */
    public static ExpectedVersion exact(long version) {
        if (version < 0) {
            throw new IllegalArgumentException(
                    "A stream is never at version " + version + ": give 0 (no message) or more.");
        }
        return version == 0 ? NONE_YET : new ExpectedVersion(Kind.EXACT, version);
    }

    /** The stream has no message yet. */
    public static ExpectedVersion none() {
        return NONE_YET;
    }

    /** Wherever it is. */
    public static ExpectedVersion any() {
        return WHATEVER;
    }

    /** The stream has a message. */
    public static ExpectedVersion exists() {
        return SOME;
    }

    /**
     * Whether a stream is where it is expected.
     *
     * @param actual its version; null if it has no message
     */
    public boolean accepts(@Nullable Long actual) {
        return switch (kind) {
            case EXACT -> actual != null && actual == version;
            case NONE -> actual == null;
            case ANY -> true;
            case EXISTS -> actual != null;
        };
    }

    @Override
    public String toString() {
        return switch (kind) {
            case EXACT -> "version " + version;
            case NONE -> "no message";
            case ANY -> "any version";
            case EXISTS -> "a message";
        };
    }
}
