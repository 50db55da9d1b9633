package org.pgbaton.subscription;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.log.Message;

/** A transaction of a {@link Feed} failed. */
public final class FeedException extends BatonException {
    private static final long serialVersionUID = 1L;

    /** What a failure means. */
    public enum Kind {
        /** Some messages are the trouble; nothing became visible, and the feed goes on. */
        MESSAGE,
        /** The target is away; nothing became visible, and the feed goes on when it is back. */
        OUTAGE,
        /** Somebody else has the feed, or nobody knows what became of the transaction: it must be taken over again, to find out. */
        LOST
    }

    private final Kind kind;
    private final transient List<Message> messages;
    private final Verdict verdict;

    private FeedException(Kind kind, List<Message> messages, Verdict verdict, String text, Throwable cause) {
        super(text, cause);
        this.kind = kind;
        this.messages = List.copyOf(messages);
        this.verdict = verdict;
    }

    /** One message is the trouble: as {@link #of(List, Verdict, String, Throwable)}. */
    public static FeedException of(Message message, Verdict verdict, String text, Throwable cause) {
        return of(List.of(message), verdict, text, cause);
    }

    /**
     * Some messages are the trouble: all that are known to fail alike, so that they are set aside together.
     *
     * @param troubled not empty
     * @param verdict {@link Verdict#PARK} if the target will never take them, {@link Verdict#OUTAGE} if only their part of the target is away,
     *     else {@link Verdict#RETRY}
     */
    public static FeedException of(List<Message> troubled, Verdict verdict, String text, Throwable cause) {
        return new FeedException(Kind.MESSAGE, troubled, verdict, text, cause);
    }

    /** The target is away. */
    public static FeedException outage(String text, Throwable cause) {
        return new FeedException(Kind.OUTAGE, List.of(), Verdict.OUTAGE, text, cause);
    }

    /** The feed must be taken over again. */
    public static FeedException lost(String text, Throwable cause) {
        return new FeedException(Kind.LOST, List.of(), Verdict.OUTAGE, text, cause);
    }

    /** What the failure means. */
    public Kind kind() {
        return kind;
    }

    /** The first message that is the trouble, if one is. */
    public @Nullable Message troubled() {
        return messages.isEmpty() ? null : messages.get(0);
    }

    /** All messages that are the trouble. */
    public List<Message> allTroubled() {
        return messages;
    }

    /** What it means for the messages that are the trouble. */
    public Verdict verdict() {
        return verdict;
    }
}
