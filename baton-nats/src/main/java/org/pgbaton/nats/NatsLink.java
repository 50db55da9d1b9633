package org.pgbaton.nats;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import io.nats.client.ForceReconnectOptions;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamStatusException;
import io.nats.client.Message;
import io.nats.client.api.PublishAck;
import io.nats.client.impl.NatsMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.publishing.BrokerLink;
import org.pgbaton.publishing.LinkEvents;
import org.pgbaton.publishing.LinkLostException;
import org.pgbaton.publishing.PendingMessage;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * One connection to NATS. Each message is a request, and the stream's acknowledgement is its answer; a message is
 * published when a stream has acknowledged it, as a new message or as a duplicate.
 */
final class NatsLink extends BrokerLink<NatsMessage> {
    /** The client gives up a request this much later than we do, so that our deadline decides. */
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private static final Pattern FORBIDDEN =
            Pattern.compile("(?i)permissions violation for (publish|subscription) to \"(.*?)\".*");

    private final NatsBroker broker;
    private final LinkEvents<NatsMessage> events;
    private final Connection connection;
    private final Set<PendingMessage<NatsMessage>> inFlight = new LinkedHashSet<>();
    private final AtomicBoolean cut = new AtomicBoolean();

    /** The same connection, once it is made. Servers that were tried before it may still call back. */
    private volatile @Nullable Connection established;

    private volatile @Nullable Throwable lastTrouble;

    /** @throws HandlerException if NATS cannot be reached */
    NatsLink(NatsBroker broker, LinkEvents<NatsMessage> events) {
        this.broker = broker;
        this.events = events;
        Connection made = broker.open(new Changes(), new Errors());
        this.connection = made;
        this.established = made;
        if (made.getStatus() != Connection.Status.CONNECTED) {
            closed(); // the client may have told us before we knew the connection
        }
    }

    private final class Changes implements ConnectionListener {
        @Override
        @Deprecated
        public void connectionEvent(Connection from, ConnectionListener.Events type) {
            boolean over = type == ConnectionListener.Events.DISCONNECTED || type == ConnectionListener.Events.CLOSED;
            if (over && from == established) {
                closed();
            }
        }
    }

    private final class Errors implements ErrorListener {
        @Override
        public void exceptionOccurred(Connection from, Exception exception) {
            if (from == established) {
                lastTrouble = exception;
            }
        }

        @Override
        public void errorOccurred(Connection from, String error) {
            events.execute(() -> complained(error));
        }
    }

    private void closed() {
        Throwable cause = lastTrouble;
        events.execute(() -> events.lost(this, broker.lost(cause), cause));
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the dependent action tells the loop
    protected void send(PendingMessage<NatsMessage> message) throws LinkLostException {
        long most = connection.getMaxPayload();
        long size = size(message.envelope());
        if (most > 0 && size > most) {
            message.fail(new HandlerException(
                    Verdict.PARK,
                    "With its headers " + message + " has " + size + " bytes, and " + broker + " takes " + most
                            + " (max_payload)."));
            return;
        }
        sending(message);
        inFlight.add(message);
        try {
            connection
                    .requestWithTimeout(message.envelope(), broker.limit().plus(MARGIN))
                    .whenComplete((answer, failure) -> events.execute(() -> answered(message, answer, failure)));
        } catch (IllegalStateException over) {
            throw new LinkLostException(broker.lost(over), over);
        } catch (RuntimeException unfit) {
            inFlight.remove(message);
            message.fail(new HandlerException(Verdict.PARK, "NATS cannot carry " + message + ".", unfit));
        }
    }

    /** The number of bytes that counts against NATS's largest payload. */
    private static long size(NatsMessage message) {
        return message.getData().length + (long) message.getHeaders().serializedLength();
    }

    /** Exactly one of answer and failure is there. */
    private void answered(PendingMessage<NatsMessage> message, @Nullable Message answer, @Nullable Throwable failure) {
        if (!inFlight.remove(message)) {
            return;
        }
        if (answer == null && !(failure instanceof JetStreamStatusException)) {
            // The client gives up its requests when the connection ends.
            message.fail(new HandlerException(Verdict.OUTAGE, broker.lost(failure), failure));
            return;
        }
        settled(message);
        if (answer == null) {
            failWithoutStream(message);
        } else {
            end(message, answer);
        }
        events.answered(this);
    }

    private void end(PendingMessage<NatsMessage> message, Message answer) {
        try {
            new PublishAck(answer);
            message.confirm();
        } catch (JetStreamApiException refused) {
            message.fail(new HandlerException(
                    JetStreamVerdicts.of(refused),
                    broker + " does not take " + message + " for subject '" + subject(message) + "': "
                            + refused.getErrorDescription() + ".",
                    refused));
        } catch (IOException nonsense) {
            message.fail(new HandlerException(
                    Verdict.RETRY,
                    "Somebody other than a stream answered " + message + " on subject '" + subject(message) + "' of "
                            + broker + ": let no service listen there.",
                    nonsense));
        }
    }

    /**
     * Nobody listens to the subject: no stream keeps it, or JetStream is not available at all. If subjects differ from
     * message to message, we ask JetStream which of the two it is, because only the second is an outage.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the dependent action ends the message
    private void failWithoutStream(PendingMessage<NatsMessage> message) {
        HandlerException outage = new HandlerException(
                Verdict.OUTAGE,
                "No stream of " + broker + " keeps subject '" + subject(message)
                        + "' at present: create one, or see why JetStream is not there.");
        if (broker.hasOneSubject()) {
            message.fail(outage);
            return;
        }
        isKept(subject(message))
                .whenComplete((kept, failure) -> message.fail(
                        failure != null || kept
                                ? outage
                                : new HandlerException(
                                        Verdict.RETRY,
                                        "No stream of " + broker + " keeps subject '" + subject(message) + "' of "
                                                + message + ": create one.")));
    }

    /** @return whether any stream keeps this subject; fails if JetStream does not say */
    private CompletableFuture<Boolean> isKept(String subject) {
        String question = "{\"subject\":\"" + subject.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}";
        return connection
                .requestWithTimeout("$JS.API.STREAM.NAMES", question.getBytes(StandardCharsets.UTF_8), broker.limit())
                .thenApply(answer -> {
                    String text = new String(answer.getData(), StandardCharsets.UTF_8).replaceAll("\\s", "");
                    if (!text.contains("\"total\":")) {
                        throw new IllegalStateException("JetStream answered " + text);
                    }
                    return !text.contains("\"total\":0,");
                });
    }

    /** The server says which subject an error is about, but not which message. */
    private void complained(String error) {
        Matcher forbidden = FORBIDDEN.matcher(error);
        if (!forbidden.matches()) {
            return; // then the connection ends, or it does not matter
        }
        String sentence = broker + " complains: " + error + ".";
        if (forbidden.group(1).equalsIgnoreCase("subscription")) {
            events.lost(this, sentence, null); // no acknowledgement would reach us
            return;
        }
        for (PendingMessage<NatsMessage> each : List.copyOf(inFlight)) {
            if (subject(each).equals(forbidden.group(2))) {
                inFlight.remove(each);
                settled(each);
                each.fail(new HandlerException(broker.hasOneSubject() ? Verdict.OUTAGE : Verdict.RETRY, sentence));
            }
        }
        events.canSend(this);
    }

    private static String subject(PendingMessage<NatsMessage> message) {
        return message.envelope().getSubject();
    }

    @Override
    protected int inFlight() {
        return inFlight.size();
    }

    @Override
    protected boolean forget(PendingMessage<NatsMessage> message) {
        return inFlight.remove(message);
    }

    @Override
    protected List<PendingMessage<NatsMessage>> forgetAll() {
        List<PendingMessage<NatsMessage>> all = new ArrayList<>(inFlight);
        inFlight.clear();
        return all;
    }

    @Override
    protected void cut() {
        if (cut.compareAndSet(false, true)) {
            try {
                broker.threads().work().execute(this::end);
            } catch (RejectedExecutionException closing) {
                end();
            }
        }
    }

    @Override
    protected void close(Duration atMost) {
        if (cut.compareAndSet(false, true)) {
            end();
        }
    }

    private void end() {
        try {
            if (connection.getStatus() != Connection.Status.CLOSED) {
                // Reconnecting is off, so this only ends the connection, and at once.
                connection.forceReconnect(ForceReconnectOptions.FORCE_CLOSE_INSTANCE);
            }
            connection.close();
        } catch (IOException | RuntimeException closedMeanwhile) {
            // The connection is closed, as intended.
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
