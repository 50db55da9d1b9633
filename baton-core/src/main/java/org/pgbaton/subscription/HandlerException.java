package org.pgbaton.subscription;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.log.Message;

/**
 * Thrown by a handler that knows what its failure means.
 *
 * <pre>{@code
 * throw new HandlerException(Verdict.PARK, "The account of " + message.key() + " is closed.");
 * }</pre>
 */
public final class HandlerException extends BatonException {
    private static final long serialVersionUID = 1L;

    private final Verdict verdict;
    private final Duration pause;
    private final transient @Nullable Message troubled;

    /**
     * A failure with a cause and a pause.
     *
     * @param pause the shortest time before the next try; zero if the handler does not know
     */
    public HandlerException(Verdict verdict, String message, @Nullable Throwable cause, Duration pause) {
        this(verdict, message, cause, pause, null);
    }

    private HandlerException(
            Verdict verdict, String message, @Nullable Throwable cause, Duration pause, @Nullable Message troubled) {
        super(message, cause);
        this.verdict = verdict;
        this.pause = pause;
        this.troubled = troubled;
    }

    /** A failure with a cause, and no pause. */
    public HandlerException(Verdict verdict, String message, @Nullable Throwable cause) {
        this(verdict, message, cause, Duration.ZERO);
    }

    /** A failure without a cause, and no pause. */
    public HandlerException(Verdict verdict, String message) {
        this(verdict, message, null);
    }

    /**
     * The same, about one message of the batch that was handed over: those before it are handed over again without it, and it is its key's
     * head when it is parked.
     */
    public HandlerException about(Message message) {
        return new HandlerException(verdict, getMessage(), getCause(), pause, message);
    }

    /** What the failure means. */
    public Verdict verdict() {
        return verdict;
    }

    /** The message that is the trouble; null if it is about the whole batch. */
    @Nullable
    public Message troubled() {
        return troubled;
    }

    /** How long the target asked to be left alone. */
    public Duration pause() {
        return pause;
    }
}
