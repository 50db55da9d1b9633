package org.pgbaton.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamStatusException;
import io.nats.client.Message;
import io.nats.client.api.PublishAck;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * What waits and what is in flight, and what becomes of it.
 *
 * <p>Protocol:
 *
 * <ol>
 *   <li>A message waits until there is a connection, and is sent: many are in flight.
 *   <li>It is published when a stream has acknowledged it; as new, or as one that it has already.
 *   <li>One that is not acknowledged in time fails, and the connection is given up: at once if nothing that was sent later has been
 *       acknowledged either, else when the others on it are done.
 *   <li>After a connection could not be made, messages fail at once until it is time for the next try.
 * </ol>
 *
 * <p>Threading: belongs to the courier's thread, and may keep it waiting; except {@link #whyNotSent} and {@link #tooLate}.
 */
final class Dispatch {
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Pattern FORBIDDEN =
            Pattern.compile("(?i)permissions violation for (publish|subscription) to \"(.*?)\".*");

    private final Broker broker;
    private final Link.Listener listener;
    private final Executor threads;
    private final boolean sameSubject;
    private final Duration limit;
    private final Deque<Outgoing> waiting = new ArrayDeque<>();
    private final Set<Link> retired = new HashSet<>();
    private @Nullable HandlerException away;
    private long nextTry;
    private Duration pause = SHORTEST_PAUSE;

    private volatile @Nullable Link link;
    private volatile @Nullable String lastTrouble;

    /** @param sameSubject whether all messages go to one subject; then what is wrong with it concerns all of them */
    Dispatch(Broker broker, Link.Listener listener, Executor threads, boolean sameSubject, Duration limit) {
        this.broker = broker;
        this.listener = listener;
        this.threads = threads;
        this.sameSubject = sameSubject;
        this.limit = limit;
    }

    void add(Outgoing outgoing) {
        waiting.add(outgoing);
        sendWhatWaits();
    }

    private void sendWhatWaits() {
        for (Outgoing next = waiting.peek(); next != null; next = waiting.peek()) {
            if (!next.isWaiting()) {
                waiting.remove();
                continue;
            }
            Link current = connected();
            if (current == null) {
                return;
            }
            waiting.remove();
            if (next.take()) {
                send(current, next);
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
                Link made = new Link(broker, listener, threads);
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

    private void send(Link current, Outgoing outgoing) {
        if (!current.fits(outgoing)) {
            outgoing.fail(new HandlerException(
                    Verdict.PARK,
                    "With its headers " + outgoing + " has " + outgoing.size() + " bytes, and NATS at " + broker
                            + " takes " + current.maxPayload() + " (max_payload)."));
            return;
        }
        try {
            current.send(outgoing, limit, System.nanoTime());
        } catch (IllegalStateException over) {
            lose(current, lost(over), over);
        } catch (RuntimeException unfit) {
            current.forget(outgoing);
            outgoing.fail(new HandlerException(Verdict.PARK, "NATS cannot carry " + outgoing + ".", unfit));
        }
    }

    void answered(Link from, Outgoing outgoing, @Nullable Message answer, @Nullable Throwable failure) {
        if (answer == null && !(failure instanceof JetStreamStatusException)) {
            // The client gives up what it waits for when the connection ends.
            if (from.forget(outgoing)) {
                outgoing.fail(new HandlerException(Verdict.OUTAGE, lost(failure), failure));
            }
        } else if (from.settle(outgoing)) {
            pause = SHORTEST_PAUSE;
            lastTrouble = null;
            if (answer == null) {
                nobodyKeeps(from, outgoing);
            } else {
                settled(outgoing, answer);
            }
            dropIfDone(from);
        }
    }

    private void settled(Outgoing outgoing, Message answer) {
        try {
            new PublishAck(answer);
            outgoing.published().complete(null);
        } catch (JetStreamApiException refused) {
            outgoing.fail(new HandlerException(
                    Answers.verdict(refused),
                    "NATS at " + broker + " does not take " + outgoing + " for subject '" + outgoing.subject() + "': "
                            + refused.getErrorDescription() + ".",
                    refused));
        } catch (IOException nonsense) {
            outgoing.fail(new HandlerException(
                    Verdict.RETRY,
                    "Somebody other than a stream answered " + outgoing + " on subject '" + outgoing.subject()
                            + "' of NATS at " + broker + ": let no service listen there.",
                    nonsense));
        }
    }

    /** Nobody listens: there is no such stream, or JetStream is not there at all. If subjects differ, these are different things. */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows tells whoever waits
    private void nobodyKeeps(Link from, Outgoing outgoing) {
        HandlerException outage = new HandlerException(
                Verdict.OUTAGE,
                "No stream of NATS at " + broker + " keeps subject '" + outgoing.subject()
                        + "' at present: create one, or see why JetStream is not there.");
        if (sameSubject) {
            outgoing.fail(outage);
            return;
        }
        from.isKept(outgoing.subject(), limit)
                .whenComplete((kept, failure) -> outgoing.fail(
                        failure != null || kept
                                ? outage
                                : new HandlerException(
                                        Verdict.RETRY,
                                        "No stream of NATS at " + broker + " keeps subject '" + outgoing.subject()
                                                + "' of " + outgoing + ": create one.")));
    }

    /** The server does not say to which message a complaint belongs, but what it was about. */
    void complained(Link from, String error) {
        Matcher forbidden = FORBIDDEN.matcher(error);
        if (!forbidden.matches()) {
            return; // the connection ends, or it was nothing
        }
        String sentence = "NATS at " + broker + " complains: " + error + ".";
        if (forbidden.group(1).equalsIgnoreCase("subscription")) {
            lose(from, sentence, null); // no acknowledgement would reach us
            return;
        }
        for (Outgoing each : from.inFlight(forbidden.group(2))) {
            from.settle(each);
            each.fail(new HandlerException(sameSubject ? Verdict.OUTAGE : Verdict.RETRY, sentence));
        }
        dropIfDone(from);
    }

    void closed(Link from, @Nullable Throwable cause) {
        lose(from, lost(cause), cause);
        sendWhatWaits();
    }

    void unconfirmed(Outgoing outgoing) {
        Link its = outgoing.link();
        if (its == null || !its.forget(outgoing)) {
            return; // settled in the meantime
        }
        outgoing.fail(tooLate(outgoing));
        if (its.hasSettledAfter(outgoing)) {
            retire(its);
        } else {
            lose(its, "NATS at " + broker + " acknowledged nothing within " + limit() + ".", null);
        }
        sendWhatWaits();
    }

    /** By any thread. */
    HandlerException tooLate(Outgoing outgoing) {
        return new HandlerException(
                Verdict.RETRY,
                "NATS at " + broker + " did not acknowledge " + outgoing + " for subject '" + outgoing.subject()
                        + "' within " + limit() + ".");
    }

    /** By any thread. */
    HandlerException whyNotSent(Outgoing outgoing) {
        String trouble = link == null ? lastTrouble : null;
        return new HandlerException(
                Verdict.OUTAGE,
                trouble != null
                        ? trouble
                        : "NATS at " + broker + " could not be reached within " + limit() + ", and " + outgoing
                                + " was not sent.");
    }

    private String lost(@Nullable Throwable failure) {
        return "The connection to NATS at " + broker + " was lost: " + Broker.words(failure) + ".";
    }

    private String limit() {
        return limit.toMillis() / 1000.0 + " s";
    }

    /** Others are acknowledged, so they get their time on it; new ones go by another connection. */
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
        boolean known = retired.remove(old);
        if (link == old) {
            lastTrouble = sentence;
            link = null;
            known = true;
        }
        if (known) {
            old.drop().forEach(each -> each.fail(new HandlerException(Verdict.OUTAGE, sentence, cause)));
        }
    }

    /** After a mistake of ours: what is in flight shall not wait in vain. */
    void loseAll(Throwable mistake) {
        for (Link each : links()) {
            lose(each, "The connection to NATS at " + broker + " was given up: " + mistake + ".", mistake);
        }
    }

    /** The last thing that is asked of it. */
    void hangUp() {
        waiting.clear();
        links().forEach(Link::close);
        link = null;
        retired.clear();
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
