package org.pgbaton.log;

import org.jspecify.annotations.Nullable;

/** A stream is not where an append expected it. Nothing was appended; read the stream again and decide anew. */
public final class VersionConflict extends LogException {
    private static final long serialVersionUID = 1L;

    private final String log;
    private final String stream;
    private final transient ExpectedVersion expected;
    private final @Nullable Long actual;

    VersionConflict(String log, String stream, ExpectedVersion expected, @Nullable Long actual) {
        super("Stream '" + stream + "' of log '" + log + "' has "
                + (actual == null ? "no message" : "version " + actual) + ", and " + expected
                + " was expected: read it again and decide anew.");
        this.log = log;
        this.stream = stream;
        this.expected = expected;
        this.actual = actual;
    }

    public String log() {
        return log;
    }

    public String stream() {
        return stream;
    }

    public ExpectedVersion expected() {
        return expected;
    }

    /** Null: the stream has no message. */
    public @Nullable Long actual() {
        return actual;
    }
}
