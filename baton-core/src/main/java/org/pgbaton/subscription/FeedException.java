package org.pgbaton.subscription;

import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.log.Message;

/** A transaction of a {@link Feed} failed. */
public final class FeedException extends BatonException {
    private static final long serialVersionUID = 1L;

    /** What a failure means. */
    public enum Kind {
        /** One message is the trouble; nothing became visible, and the feed goes on. */
        MESSAGE,
        /** The target is away; nothing became visible, and the feed goes on when it is back. */
        OUTAGE,
        /** Somebody else has the feed, or nobody knows what became of the transaction: it must be taken over again, to find out. */
        LOST
    }

    private final Kind kind;
    private final transient @Nullable Message message;
    private final Verdict verdict;

    private FeedException(Kind kind, @Nullable Message message, Verdict verdict, String text, Throwable cause) {
        super(text, cause);
        this.kind = kind;
        this.message = message;
        this.verdict = verdict;
    }

    /** @param verdict {@link Verdict#PARK} if the target will never take it, else {@link Verdict#RETRY} */
    public static FeedException of(Message message, Verdict verdict, String text, Throwable cause) {
        return new FeedException(Kind.MESSAGE, message, verdict, text, cause);
    }

    public static FeedException outage(String text, Throwable cause) {
        return new FeedException(Kind.OUTAGE, null, Verdict.OUTAGE, text, cause);
    }

    public static FeedException lost(String text, Throwable cause) {
        return new FeedException(Kind.LOST, null, Verdict.OUTAGE, text, cause);
    }

    public Kind kind() {
        return kind;
    }

    /** The message that is the trouble, if one is. */
    public @Nullable Message troubled() {
        return message;
    }

    public Verdict verdict() {
        return verdict;
    }
}
