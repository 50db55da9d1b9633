package org.pgbaton.log;

import org.jspecify.annotations.Nullable;

/** A stream is not where an append expected it. Nothing was appended; read the stream again and decide anew. */
public final class VersionConflict extends LogException {
    private static final long serialVersionUID = 1L;

    private final String log;
    private final String stream;
    private final transient ExpectedVersion expected;
    private final @Nullable Long actual;

    /** A conflict in a stream; {@code actual} is null if the stream has no message. */
    public VersionConflict(String log, String stream, ExpectedVersion expected, @Nullable Long actual) {
        super("Stream '" + stream + "' of log '" + log + "' has "
                + (actual == null ? "no message" : "version " + actual) + ", and " + expected
                + " was expected: read it again and decide anew.");
        this.log = log;
        this.stream = stream;
        this.expected = expected;
        this.actual = actual;
    }

    /** The log of the stream. */
    public String log() {
        return log;
    }

    /** The stream that is not where it was expected. */
    public String stream() {
        return stream;
    }

    /** Where it was expected. */
    public ExpectedVersion expected() {
        return expected;
    }

    /** Where it is; null if it has no message. */
    public @Nullable Long actual() {
        return actual;
    }
}
