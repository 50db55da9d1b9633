package org.pgbaton.nats;

import io.nats.client.AuthenticationException;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.impl.NatsMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.pgbaton.publishing.Broker;
import org.pgbaton.publishing.BrokerHost;
import org.pgbaton.publishing.BrokerLink;
import org.pgbaton.publishing.BrokerPublisher;
import org.pgbaton.publishing.ConnectOptions;
import org.pgbaton.publishing.LinkEvents;
import org.pgbaton.publishing.PendingMessage;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Connects to NATS: with a time limit for every step, with the certificate and its host name checked, with the secret
 * as it is now. The client's own reconnecting is off: it would send messages that are still in its queue long after
 * they have failed. Immutable.
 */
final class NatsBroker implements Broker<NatsMessage> {
    private static final Duration LAST_WAIT = Duration.ofSeconds(1);

    private final NatsUrl url;
    private final ConnectOptions options;
    private final @Nullable Path credentials;
    private final boolean oneSubject;
    private final ClientThreads threads;

    /**
     * @param oneSubject whether all messages go to one subject; then a problem with the subject concerns all of them
     * @param threads for the client; they end with the broker
     */
    NatsBroker(
            NatsUrl url,
            ConnectOptions options,
            @Nullable Path credentials,
            boolean oneSubject,
            ClientThreads threads) {
        this.url = url;
        this.options = options;
        this.credentials = credentials;
        this.oneSubject = oneSubject;
        this.threads = threads;
    }

    @Override
    public BrokerLink<NatsMessage> connect(LinkEvents<NatsMessage> events) {
        return new NatsLink(this, events);
    }

    /**
     * Opens a connection to the first server that answers.
     *
     * @throws HandlerException an outage, in one sentence
     */
    Connection open(ConnectionListener changes, ErrorListener errors) {
        HandlerException refused = null;
        for (BrokerHost host : url.hosts()) {
            try {
                return open(host, changes, errors);
            } catch (HandlerException each) {
                refused = each;
            }
        }
        throw refused != null ? refused : away("has no server", null);
    }

    /** On another thread: the client waits out its time limit even after the server has refused it. */
    private Connection open(BrokerHost host, ConnectionListener changes, ErrorListener errors) {
        Attempt attempt = new Attempt(errors);
        Future<?> running;
        try {
            running = threads.work().submit(() -> attempt.run(() -> clientOptions(host, changes, attempt)));
        } catch (RejectedExecutionException closed) {
            throw away("was not waited for", closed);
        }
        try {
            return attempt.result.get(limit().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof AuthenticationException refused
                    ? away("refuses us: " + words(refused) + "; check user and password, token or credentials", refused)
                    : away("cannot be reached: " + host + ": " + words(failed.getCause()), failed.getCause());
        } catch (TimeoutException slow) {
            throw away("did not answer within " + limit().toMillis() / 1000.0 + " s: " + host, slow);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw away("was not waited for", stop);
        } finally {
            attempt.result.cancel(false);
            running.cancel(true);
        }
    }

    private HandlerException away(String what, @Nullable Throwable cause) {
        return new HandlerException(Verdict.OUTAGE, this + " " + what + ".", cause);
    }

    private Options clientOptions(BrokerHost host, ConnectionListener changes, ErrorListener errors)
            throws IOException {
        Options.Builder builder = Options.builder()
                .server((url.tls() ? "tls://" : "nats://") + host)
                .connectionName("baton")
                .connectionTimeout(options.limit())
                .noReconnect()
                .reconnectBufferSize(0)
                .ignoreDiscoveredServers()
                .pingInterval(Duration.ofSeconds(10))
                .requestCleanupInterval(options.limit())
                .writeQueuePushTimeout(options.limit())
                .maxMessagesInOutgoingQueue(2 * BrokerPublisher.MOST_UNFINISHED)
                .dontForceFlushOnRequest()
                .reportNoResponders()
                .supportUTF8Subjects()
                .connectionListener(changes)
                .errorListener(errors)
                .executor(threads.work())
                .connectExecutor(threads.work())
                .callbackExecutor(threads.callbacks())
                .scheduledExecutor(threads.timer());
        SSLContext context = options.tls();
        if (context != null) {
            builder.sslContext(CheckedTls.of(context, host.name()));
        }
        Path file = credentials;
        if (file != null) {
            return builder.authHandler(Nats.credentials(file.toString())).build();
        }
        return login(builder).build();
    }

    /** If there is a file, a single word before the @ is the user's name, and not a token. */
    private Options.Builder login(Options.Builder builder) throws IOException {
        boolean onlyUser = options.passwordFile() != null && url.user().isEmpty();
        String user = onlyUser ? url.secret() : url.user();
        String secret = options.password(url.secret());
        if (!user.isEmpty()) {
            return builder.userInfo(user.toCharArray(), secret.toCharArray());
        }
        return secret.isEmpty() ? builder : builder.token(secret.toCharArray());
    }

    /** A sentence: what ended the connection. */
    String lost(@Nullable Throwable cause) {
        return "The connection to " + this + " was lost: " + words(cause) + ".";
    }

    /** What happened, in the words of the client or the server. */
    private static String words(@Nullable Throwable failure) {
        if (failure == null) {
            return "the connection was closed";
        }
        Throwable cause = failure.getCause();
        if (cause != null
                && (failure.getMessage() == null
                        || failure.getMessage().startsWith(cause.getClass().getName()))) {
            return words(cause);
        }
        String message = failure.getMessage();
        if (failure instanceof java.net.UnknownHostException) {
            return "unknown host " + message;
        }
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }

    boolean hasOneSubject() {
        return oneSubject;
    }

    Duration limit() {
        return options.limit();
    }

    ClientThreads threads() {
        return threads;
    }

    @Override
    public String didNotConfirm(PendingMessage<NatsMessage> message) {
        return "did not acknowledge " + message + " for subject '"
                + message.envelope().getSubject() + "'";
    }

    @Override
    public String confirmedNothing() {
        return "acknowledged nothing";
    }

    @Override
    public void close() {
        threads.end(LAST_WAIT);
    }

    @Override
    public String toString() {
        return "NATS at " + url;
    }

    /**
     * One try to connect. The exception that the client throws does not say why it failed; the client tells the reason
     * to its error listener.
     */
    private static final class Attempt implements ErrorListener {
        private final ErrorListener next;
        private final CompletableFuture<Connection> result = new CompletableFuture<>();
        private final CompletableFuture<Exception> trouble = new CompletableFuture<>();

        Attempt(ErrorListener next) {
            this.next = next;
        }

        void run(Callable<Options> options) {
            try {
                Connection made = Nats.connect(options.call());
                if (!result.complete(made)) {
                    made.close();
                }
            } catch (AuthenticationException refused) {
                result.completeExceptionally(refused);
            } catch (Exception failed) {
                // The listener is told the reason a moment later.
                result.completeExceptionally(trouble.completeOnTimeout(failed, 200, TimeUnit.MILLISECONDS)
                        .join());
            }
        }

        @Override
        public void exceptionOccurred(Connection connection, Exception exception) {
            trouble.complete(exception);
            next.exceptionOccurred(connection, exception);
        }

        @Override
        public void errorOccurred(Connection connection, String error) {
            // While the client connects, an error of the server can only mean that it refuses us.
            if (!result.completeExceptionally(new AuthenticationException(error))) {
                next.errorOccurred(connection, error);
            }
        }
    }
}
