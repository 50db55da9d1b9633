package org.pgbaton.subscription;

import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;

/** Thrown by a handler that knows what its failure means. */
public final class HandlerException extends BatonException {
    private static final long serialVersionUID = 1L;

    private final Verdict verdict;

    public HandlerException(Verdict verdict, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.verdict = verdict;
    }

    public HandlerException(Verdict verdict, String message) {
        this(verdict, message, null);
    }

    public Verdict verdict() {
        return verdict;
    }
}
