package org.pgbaton.nats;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import io.nats.client.ForceReconnectOptions;
import io.nats.client.Message;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One connection to NATS, and the messages that wait for their acknowledgement on it.
 *
 * <p>Threading: called by the courier's thread only, except {@link #cut}.
 */
final class Link {
    private static final Duration MARGIN = Duration.ofSeconds(5);

    /** What NATS says. Called by threads of the client. */
    interface Listener {
        /** Exactly one of both is there. */
        void answered(Link link, Outgoing outgoing, @Nullable Message answer, @Nullable Throwable failure);

        void closed(Link link, @Nullable Throwable cause);

        /** In the server's own words. */
        void complained(Link link, String error);
    }

    private final Listener listener;
    private final Connection connection;
    private final Executor threads;
    private final Set<Outgoing> inFlight = new LinkedHashSet<>();
    private final AtomicBoolean cut = new AtomicBoolean();
    private boolean proven;
    private long newestSettled;

    /** The same connection, once there is one; servers that were tried before speak up late. */
    private volatile @Nullable Connection established;

    private volatile @Nullable Throwable lastTrouble;

    /** @throws org.pgbaton.subscription.HandlerException if NATS cannot be reached */
    Link(Broker broker, Listener listener, Executor threads) {
        this.listener = listener;
        this.threads = threads;
        Connection made = broker.connect(new Events(), new Errors());
        this.connection = made;
        this.established = made;
        if (made.getStatus() != Connection.Status.CONNECTED) {
            listener.closed(this, lastTrouble); // its own event may have come too early for us
        }
    }

    private final class Events implements ConnectionListener {
        @Override
        @Deprecated
        public void connectionEvent(Connection from, ConnectionListener.Events type) {
            boolean over = type == ConnectionListener.Events.DISCONNECTED || type == ConnectionListener.Events.CLOSED;
            if (over && from == established) {
                listener.closed(Link.this, lastTrouble);
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
            listener.complained(Link.this, error);
        }
    }

    int inFlight() {
        return inFlight.size();
    }

    /** For a subject. */
    List<Outgoing> inFlight(String subject) {
        return inFlight.stream().filter(each -> each.subject().equals(subject)).toList();
    }

    long maxPayload() {
        return connection.getMaxPayload();
    }

    boolean fits(Outgoing outgoing) {
        return maxPayload() <= 0 || outgoing.size() <= maxPayload();
    }

    /** @throws IllegalStateException if the connection is closed */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows tells the listener
    void send(Outgoing outgoing, Duration limit, long now) {
        outgoing.sent(this, now);
        inFlight.add(outgoing);
        connection
                .requestWithTimeout(outgoing.message(), limit.plus(MARGIN))
                .whenComplete((answer, failure) -> listener.answered(this, outgoing, answer, failure));
    }

    /** @return false if it does not wait here any more */
    boolean settle(Outgoing outgoing) {
        if (!inFlight.remove(outgoing)) {
            return false;
        }
        newestSettled = proven ? Math.max(newestSettled, outgoing.sentAt()) : outgoing.sentAt();
        proven = true;
        return true;
    }

    boolean forget(Outgoing outgoing) {
        return inFlight.remove(outgoing);
    }

    /** Whether NATS has acknowledged something that was sent later. */
    boolean hasSettledAfter(Outgoing outgoing) {
        return proven && newestSettled - outgoing.sentAt() > 0;
    }

    /** @return whether any stream keeps this subject; fails if JetStream does not say */
    CompletableFuture<Boolean> isKept(String subject, Duration limit) {
        String question = "{\"subject\":\"" + subject.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}";
        return connection
                .requestWithTimeout("$JS.API.STREAM.NAMES", question.getBytes(StandardCharsets.UTF_8), limit)
                .thenApply(answer -> {
                    String text = new String(answer.getData(), StandardCharsets.UTF_8).replaceAll("\\s", "");
                    if (!text.contains("\"total\":")) {
                        throw new IllegalStateException("JetStream answered " + text);
                    }
                    return !text.contains("\"total\":0,");
                });
    }

    /** @return what was in flight; nothing of it is sent any more */
    List<Outgoing> drop() {
        cut();
        List<Outgoing> all = new ArrayList<>(inFlight);
        inFlight.clear();
        return all;
    }

    /**
     * Ends the connection without waiting for it. What the kernel has not sent yet is thrown away, so that it does not arrive after it has
     * failed. By any thread.
     */
    void cut() {
        if (cut.compareAndSet(false, true)) {
            threads.execute(this::end);
        }
    }

    /** As {@link #cut}, and waits for it. */
    void close() {
        if (cut.compareAndSet(false, true)) {
            end();
        }
    }

    private void end() {
        try {
            if (connection.getStatus() != Connection.Status.CLOSED) {
                // It may not reconnect, so it ends here.
                connection.forceReconnect(ForceReconnectOptions.FORCE_CLOSE_INSTANCE);
            }
            connection.close();
        } catch (IOException | RuntimeException closedMeanwhile) {
            // Then it needs no cutting.
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }
}
