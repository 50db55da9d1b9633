package org.pgbaton.subscription;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;

/** Thrown by a handler that knows what its failure means. */
public final class HandlerException extends BatonException {
    private static final long serialVersionUID = 1L;

    private final Verdict verdict;
    private final Duration pause;

    /** @param pause not before it is over is it worth another try; zero if the handler does not know */
    public HandlerException(Verdict verdict, String message, @Nullable Throwable cause, Duration pause) {
        super(message, cause);
        this.verdict = verdict;
        this.pause = pause;
    }

    public HandlerException(Verdict verdict, String message, @Nullable Throwable cause) {
        this(verdict, message, cause, Duration.ZERO);
    }

    public HandlerException(Verdict verdict, String message) {
        this(verdict, message, null);
    }

    public Verdict verdict() {
        return verdict;
    }

    /** How long the target asked to be left alone. */
    public Duration pause() {
        return pause;
    }
}
