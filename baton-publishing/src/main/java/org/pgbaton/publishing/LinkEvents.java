package org.pgbaton.publishing;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What a link tells the sending loop. The broker's client calls back on threads of its own; the link hands each call over with {@link
 * #execute}, looks at it there, ends the messages it is about, and then calls one of the other methods.
 *
 * <p>Threading: {@link #execute} is for any thread and does not wait. The other methods are for steps that run by it.
 *
 * @param <E> the form in which the broker gets messages
 */
public interface LinkEvents<E> extends Executor {
    /** Runs this step on the loop's thread, after those that were given before. After the loop has ended, nothing happens. */
    @Override
    void execute(Runnable step);

    /** The broker has answered to messages: it is well, and pauses before connecting are short again. */
    void answered(BrokerLink<E> link);

    /** Messages have ended on this link, or the broker takes messages again: others may be sent. */
    void canSend(BrokerLink<E> link);

    /**
     * The connection is of no use any more. What is in flight on it fails as an outage.
     *
     * @param sentence what happened
     */
    void lost(BrokerLink<E> link, String sentence, @Nullable Throwable cause);
}
