package org.pgbaton.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
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
 * What waits and what is in flight, and what becomes of it.
 *
 * <p>Protocol:
 *
 * <ol>
 *   <li>A message waits until there is a connection that may take it, and is sent: many are in flight.
 *   <li>It is published when RabbitMQ has acknowledged it, and has not sent it back before.
 *   <li>One that is not confirmed in time fails, and the connection is given up: at once if nothing that was sent later has been
 *       confirmed either, else when the others on it are done.
 *   <li>When RabbitMQ closes the channel over a message and several were in flight, it does not say which it means: they are sent again
 *       one by one, and the one that does it again is named.
 *   <li>After a connection could not be made, messages fail at once until it is time for the next try.
 * </ol>
 *
 * <p>Threading: belongs to the courier's thread, and may keep it waiting; except {@link #whyNotSent} and {@link #tooLate}.
 */
final class Dispatch {
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final Broker broker;
    private final Link.Listener listener;
    private final boolean sameExchange;
    private final boolean mandatory;
    private final Duration limit;
    private final Deque<Outgoing> waiting = new ArrayDeque<>();
    private final Set<Link> retired = new HashSet<>();
    private final Suspects suspects = new Suspects();
    private @Nullable HandlerException away;
    private long nextTry;
    private Duration pause = SHORTEST_PAUSE;

    private volatile @Nullable Link link;
    private volatile @Nullable String lastTrouble;

    /** @param sameExchange whether all messages go to one exchange; then what is wrong with it concerns all of them */
    Dispatch(Broker broker, Link.Listener listener, boolean sameExchange, boolean mandatory, Duration limit) {
        this.broker = broker;
        this.listener = listener;
        this.sameExchange = sameExchange;
        this.mandatory = mandatory;
        this.limit = limit;
    }

    void add(Outgoing outgoing) {
        waiting.add(outgoing);
        sendWhatWaits();
    }

    void sendWhatWaits() {
        for (Outgoing next = waiting.peek(); next != null; next = waiting.peek()) {
            if (!next.isWaiting()) {
                waiting.remove();
                continue;
            }
            Link current = connected();
            boolean suspect = suspects.contains(next);
            if (current == null || !current.mayTake(suspect)) {
                return;
            }
            waiting.remove();
            if (next.take()) {
                send(current, next, suspect);
            }
        }
    }

    private @Nullable Link connected() {
        Link current = link;
        if (current != null) {
            return current;
        }
        HandlerException reason = away;
        if (reason == null || System.nanoTime() - nextTry >= 0) {
            try {
                Link made = new Link(broker, listener);
                link = made;
                away = null;
                return made;
            } catch (HandlerException refused) {
                reason = refused;
                away = refused;
                lastTrouble = refused.getMessage();
                // Between half and all of it, so that many processes do not come back at the same moment.
                nextTry =
                        System.nanoTime() + ThreadLocalRandom.current().nextLong(pause.toNanos() / 2, pause.toNanos());
                Duration doubled = pause.multipliedBy(2);
                pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
            }
        }
        Duration left = Duration.ofNanos(Math.max(0, nextTry - System.nanoTime()));
        for (Outgoing each : waiting) {
            if (each.take()) {
                each.fail(new HandlerException(reason.verdict(), reason.getMessage(), reason.getCause(), left));
            }
        }
        waiting.clear();
        return null;
    }

    private void send(Link current, Outgoing outgoing, boolean suspect) {
        if (!current.fits(outgoing)) {
            outgoing.fail(new HandlerException(
                    Verdict.PARK,
                    "The headers of " + outgoing + " have more than the " + current.frameMax()
                            + " bytes of a frame that RabbitMQ at " + broker + " takes."));
            return;
        }
        try {
            current.send(outgoing, suspect, mandatory, System.nanoTime());
        } catch (ShutdownSignalException over) {
            // RabbitMQ was faster; this one was not sent, and is not the reason.
            current.forget(outgoing);
            outgoing.fail(new HandlerException(Verdict.OUTAGE, lost(over), over));
            closed(current, over);
        } catch (IOException failed) {
            outgoing.fail(new HandlerException(Verdict.OUTAGE, lost(failed), failed));
            lose(current, lost(failed), failed);
        } catch (RuntimeException unfit) {
            outgoing.fail(new HandlerException(Verdict.PARK, "AMQP cannot carry " + outgoing + ".", unfit));
            lose(current, "The connection to RabbitMQ at " + broker + " was given up over another message.", unfit);
        }
    }

    void confirmed(Link from, Channel channel, long tag, boolean multiple, boolean kept) {
        if (from.isCurrent(channel)) {
            pause = SHORTEST_PAUSE;
            lastTrouble = null;
            from.settle(tag, multiple).forEach(each -> settled(each, kept));
            dropIfDone(from);
            sendWhatWaits();
        }
    }

    private void settled(Outgoing outgoing, boolean kept) {
        String returned = outgoing.returned();
        if (!kept) {
            outgoing.fail(new HandlerException(
                    Verdict.RETRY,
                    "RabbitMQ at " + broker + " refused " + outgoing + " for " + outgoing.address()
                            + ": a queue could not take it, or is full."));
        } else if (returned != null) {
            outgoing.fail(new HandlerException(
                    Verdict.RETRY,
                    "RabbitMQ at " + broker + " has no queue for " + outgoing + " (" + returned
                            + "): declare and bind one " + "for " + outgoing.address() + ", or set mandatory(false)."));
        } else {
            suspects.clear(outgoing);
            outgoing.published().complete(null);
        }
    }

    void returned(Link from, Channel channel, String messageId, String why) {
        if (from.isCurrent(channel)) {
            from.giveBack(messageId, why);
        }
    }

    /** @param channel null if it was all of the connection */
    void closed(Link from, @Nullable Channel channel, ShutdownSignalException signal) {
        if (channel == null || from.isCurrent(channel)) {
            closed(from, signal);
            sendWhatWaits();
        }
    }

    private void closed(Link from, ShutdownSignalException signal) {
        if (Troubles.blamesAMessage(signal)) {
            List<Outgoing> struck = from.dropChannel();
            for (Outgoing each : struck) {
                suspects.add(each);
                each.fail(struck.size() == 1 ? refused(each, signal) : oneOf(struck.size(), signal));
            }
            dropIfDone(from);
        }
        if (signal.isHardError() || !Troubles.blamesAMessage(signal)) {
            lose(from, lost(signal), signal);
        }
    }

    private HandlerException refused(Outgoing guilty, ShutdownSignalException signal) {
        Verdict verdict = Troubles.verdict(signal, sameExchange);
        if (verdict != Verdict.PARK) {
            suspects.add(guilty.address());
        }
        return new HandlerException(
                verdict,
                "RabbitMQ at " + broker + " does not take " + guilty + " for " + guilty.address() + ": "
                        + Troubles.words(signal) + ".",
                signal);
    }

    private HandlerException oneOf(int number, ShutdownSignalException signal) {
        return new HandlerException(
                Verdict.OUTAGE,
                "RabbitMQ at " + broker + " closed the channel over one of " + number + " messages: "
                        + Troubles.words(signal) + ". They are sent again one by one.",
                signal);
    }

    void unconfirmed(Outgoing outgoing) {
        Link its = outgoing.link();
        if (its == null || !its.forget(outgoing)) {
            return; // settled in the meantime
        }
        HandlerException failure = tooLate(outgoing, its);
        outgoing.fail(failure);
        if (its.hasSettledAfter(outgoing)) {
            retire(its);
        } else {
            String because = its.blocked();
            lose(
                    its,
                    because != null
                            ? blocks(because)
                            : "RabbitMQ at " + broker + " confirmed nothing within " + limit() + ".",
                    null);
        }
        sendWhatWaits();
    }

    /** By any thread. */
    HandlerException tooLate(Outgoing outgoing, Link its) {
        String because = its.blocked();
        return because != null
                ? new HandlerException(Verdict.OUTAGE, blocks(because))
                : new HandlerException(
                        Verdict.RETRY,
                        "RabbitMQ at " + broker + " did not confirm " + outgoing + " for " + outgoing.address()
                                + " within " + limit() + ".");
    }

    /** By any thread. */
    HandlerException whyNotSent(Outgoing outgoing) {
        Link current = link;
        String because = current == null ? null : current.blocked();
        String trouble = because != null ? blocks(because) : current == null ? lastTrouble : null;
        return new HandlerException(
                Verdict.OUTAGE,
                trouble != null
                        ? trouble
                        : "RabbitMQ at " + broker + (current == null ? " could not be reached" : " took nothing more")
                                + " within " + limit() + ", and " + outgoing + " was not sent.");
    }

    private String blocks(String because) {
        return "RabbitMQ at " + broker + " blocks publishers: " + because + ".";
    }

    private String lost(Throwable failure) {
        return "The connection to RabbitMQ at " + broker + " was lost: " + Troubles.words(failure) + ".";
    }

    private String limit() {
        return limit.toMillis() / 1000.0 + " s";
    }

    /** Others are confirmed, so they get their time on it; new ones go by another connection. */
    private void retire(Link old) {
        retired.add(old);
        if (link == old) {
            link = null;
        }
        dropIfDone(old);
    }

    private void dropIfDone(Link old) {
        if (old.inFlight() == 0 && retired.remove(old)) {
            old.drop();
        }
    }

    private void lose(Link old, String sentence, @Nullable Throwable cause) {
        if (link == old) {
            lastTrouble = sentence;
            link = null;
        }
        retired.remove(old);
        old.drop().forEach(each -> each.fail(new HandlerException(Verdict.OUTAGE, sentence, cause)));
    }

    /** After a mistake of ours: what is in flight shall not wait in vain. */
    void loseAll(Throwable mistake) {
        for (Link each : links()) {
            lose(each, "The connection to RabbitMQ at " + broker + " was given up: " + mistake + ".", mistake);
        }
    }

    /** The last thing that is asked of it. */
    void hangUp(Duration atMost) {
        waiting.clear();
        for (Link each : links()) {
            if (each.inFlight() == 0) {
                each.close(atMost);
            }
            each.drop();
        }
        link = null;
        retired.clear();
    }

    /** By any thread: ends what keeps the courier's thread waiting. */
    void cut() {
        Link current = link;
        if (current != null) {
            current.cut();
        }
    }

    private List<Link> links() {
        List<Link> all = new ArrayList<>(retired);
        Link current = link;
        if (current != null) {
            all.add(current);
        }
        return all;
    }
}
