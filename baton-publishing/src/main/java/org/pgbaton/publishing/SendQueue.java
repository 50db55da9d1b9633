package org.pgbaton.publishing;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * The messages that wait, and the links on which others are in flight.
 *
 * <p>Protocol:
 *
 * <ol>
 *   <li>A message waits until there is a link that may take it, and is sent. Many are in flight at once. <li>The link
 *   ends it when the broker has answered. <li>A message that is not confirmed in time fails, and its link is given up.
 *   If the broker has answered to no message that was sent later, this happens at once. Otherwise the link is retired:
 *   the other messages on it get their time, and new messages go by another link. <li>After a link could not be made,
 *   messages fail at once until it is time for the next try.
 * </ol>
 *
 * <p>Threading: only the loop's thread uses it, and may have to wait in it. Any thread may call {@link #whyNotSent},
 * {@link #tooLate} and {@link #cut}.
 *
 * @param <E> the form in which the broker gets messages
 */
final class SendQueue<E> {
    private final Broker<E> broker;
    private final LinkEvents<E> events;
    private final Duration limit;
    private final ConnectBackoff backoff = new ConnectBackoff(
            System::nanoTime, () -> ThreadLocalRandom.current().nextDouble());
    private final Deque<PendingMessage<E>> waiting = new ArrayDeque<>();
    private final Set<BrokerLink<E>> retired = new HashSet<>();

    private volatile @Nullable BrokerLink<E> link;
    private volatile @Nullable String lastTrouble;

    SendQueue(Broker<E> broker, LinkEvents<E> events, Duration limit) {
        this.broker = broker;
        this.events = events;
        this.limit = limit;
    }

    void add(PendingMessage<E> message) {
        waiting.add(message);
        sendWaiting();
    }

    private void sendWaiting() {
        for (PendingMessage<E> next = waiting.peek(); next != null; next = waiting.peek()) {
            if (!next.isWaiting()) {
                waiting.remove();
                continue;
            }
            BrokerLink<E> current = connected();
            if (current == null || !current.mayTake(next)) {
                return;
            }
            waiting.remove();
            if (next.take()) {
                send(current, next);
            }
        }
    }

    /** @return null if there is no link; then the waiting messages have failed */
    private @Nullable BrokerLink<E> connected() {
        BrokerLink<E> current = link;
        if (current != null) {
            return current;
        }
        HandlerException refusal = backoff.refusal();
        if (refusal == null) {
            try {
                BrokerLink<E> made = broker.connect(events);
                link = made;
                backoff.connected();
                return made;
            } catch (HandlerException refused) {
                refusal = refused;
                lastTrouble = refused.getMessage();
                backoff.refused(refused);
            }
        }
        failWaiting(refusal, backoff.left());
        return null;
    }

    private void failWaiting(HandlerException why, Duration pause) {
        for (PendingMessage<E> each : waiting) {
            if (each.take()) {
                each.fail(new HandlerException(why.verdict(), why.getMessage(), why.getCause(), pause));
            }
        }
        waiting.clear();
    }

    private void send(BrokerLink<E> current, PendingMessage<E> message) {
        try {
            current.send(message);
        } catch (LinkLostException lost) {
            message.fail(new HandlerException(Verdict.OUTAGE, lost.sentence(), lost.getCause()));
            lose(current, lost.sentence(), lost.getCause());
        }
    }

    /** The broker has answered to messages of this link. */
    void answered(BrokerLink<E> from) {
        backoff.answered();
        lastTrouble = null;
        canSend(from);
    }

    void canSend(BrokerLink<E> from) {
        dropIfDone(from);
        sendWaiting();
    }

    void lost(BrokerLink<E> from, String sentence, @Nullable Throwable cause) {
        lose(from, sentence, cause);
        sendWaiting();
    }

    /** The time of a message that was sent is over. */
    void unconfirmed(PendingMessage<E> message) {
        BrokerLink<E> its = message.link();
        if (its == null || !its.forget(message)) {
            return; // answered in the meantime
        }
        message.fail(tooLate(message, its));
        if (its.hasSettledAfter(message)) {
            retire(its);
        } else {
            String blocked = its.blocked();
            lose(
                    its,
                    blocked != null
                            ? blocks(blocked)
                            : broker + " " + broker.confirmedNothing() + " within " + limit() + ".",
                    null);
        }
        sendWaiting();
    }

    /** By any thread. */
    HandlerException tooLate(PendingMessage<E> message, BrokerLink<E> its) {
        String blocked = its.blocked();
        return blocked != null
                ? new HandlerException(Verdict.OUTAGE, blocks(blocked))
                : new HandlerException(
                        Verdict.RETRY, broker + " " + broker.didNotConfirm(message) + " within " + limit() + ".");
    }

    /** By any thread. */
    HandlerException whyNotSent(PendingMessage<E> message) {
        BrokerLink<E> current = link;
        String blocked = current == null ? null : current.blocked();
        String trouble = blocked != null ? blocks(blocked) : current == null ? lastTrouble : null;
        return new HandlerException(
                Verdict.OUTAGE,
                trouble != null
                        ? trouble
                        : broker + (current == null ? " could not be reached" : " took nothing more") + " within "
                                + limit() + ", and " + message + " was not sent.");
    }

    private String blocks(String reason) {
        return broker + " blocks publishers: " + reason + ".";
    }

    private String limit() {
        return limit.toMillis() / 1000.0 + " s";
    }

    private void retire(BrokerLink<E> old) {
        retired.add(old);
        if (link == old) {
            link = null;
        }
        dropIfDone(old);
    }

    private void dropIfDone(BrokerLink<E> old) {
        if (old.inFlight() == 0 && retired.remove(old)) {
            drop(old);
        }
    }

    private void lose(BrokerLink<E> old, String sentence, @Nullable Throwable cause) {
        if (link == old) {
            lastTrouble = sentence;
            link = null;
        }
        retired.remove(old);
        drop(old).forEach(each -> each.fail(new HandlerException(Verdict.OUTAGE, sentence, cause)));
    }

    /** @return the messages that were in flight */
    private List<PendingMessage<E>> drop(BrokerLink<E> old) {
        old.cut();
        return old.forgetAll();
    }

    /** After a bug of ours: no message in flight may wait for ever. */
    void loseAll(Throwable mistake) {
        for (BrokerLink<E> each : links()) {
            lose(each, "The connection to " + broker + " was given up: " + mistake + ".", mistake);
        }
    }

    /** The last call. */
    void hangUp(Duration atMost) {
        waiting.clear();
        links().forEach(each -> each.close(atMost));
        link = null;
        retired.clear();
    }

    /** Frees the loop's thread if it is stuck in the current link. Any thread may call it. */
    void cut() {
        BrokerLink<E> current = link;
        if (current != null) {
            current.cut();
        }
    }

    private List<BrokerLink<E>> links() {
        List<BrokerLink<E>> all = new ArrayList<>(retired);
        BrokerLink<E> current = link;
        if (current != null) {
            all.add(current);
        }
        return all;
    }
}
