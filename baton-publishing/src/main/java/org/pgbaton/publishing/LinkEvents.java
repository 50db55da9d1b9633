package org.pgbaton.publishing;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The events that a link reports to the sending loop. The broker's client calls back on threads of its own. The link
 * hands each call over to the loop's thread with {@link #execute}, ends the messages that the call is about there, and
 * then calls one of the other methods.
 *
 * <p>Threading: any thread may call {@link #execute}, which does not wait. The other methods may be called only by
 * steps that it runs.
 *
 * @param <E> the form in which the broker gets messages
 */
public interface LinkEvents<E> extends Executor {
    /**
     * Runs this step on the loop's thread, after the steps that were given before. Does nothing after the loop has
     * ended.
     */
    @Override
    void execute(Runnable step);

    /** The broker has answered to messages: it is healthy, and pauses before connecting are short again. */
    void answered(BrokerLink<E> link);

    /** Messages have ended on this link, or the broker takes messages again: more messages may be sent. */
    void canSend(BrokerLink<E> link);

    /**
     * The connection cannot be used any more. Messages in flight on it fail as an outage.
     *
     * @param sentence what happened
     */
    void lost(BrokerLink<E> link, String sentence, @Nullable Throwable cause);
}
