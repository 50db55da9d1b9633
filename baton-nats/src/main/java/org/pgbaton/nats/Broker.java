package org.pgbaton.nats;

import io.nats.client.AuthenticationException;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Opens connections to NATS: with a time limit for every step, with the certificate and its host name checked, with the secret as it is
 * now; and without the client's own reconnecting, which would send what it still has in its queue long after that has failed.
 * Immutable.
 */
final class Broker {
    private final NatsUrl url;
    private final @Nullable Path secretFile;
    private final @Nullable Path credentials;
    private final @Nullable SSLContext tls;
    private final Duration limit;
    private final ClientThreads threads;

    Broker(
            NatsUrl url,
            @Nullable Path secretFile,
            @Nullable Path credentials,
            @Nullable SSLContext tls,
            Duration limit,
            ClientThreads threads) {
        this.url = url;
        this.secretFile = secretFile;
        this.credentials = credentials;
        this.tls = tls;
        this.limit = limit;
        this.threads = threads;
    }

    /**
     * To the first server that answers.
     *
     * @throws HandlerException an outage, in one sentence
     */
    Connection connect(ConnectionListener events, ErrorListener errors) {
        HandlerException refused = null;
        for (NatsUrl.Host host : url.hosts()) {
            try {
                return connect(host, events, errors);
            } catch (HandlerException each) {
                refused = each;
            }
        }
        throw refused != null ? refused : away("has no server", null);
    }

    /** On another thread: the client waits out its time limit even after the server has refused it. */
    private Connection connect(NatsUrl.Host host, ConnectionListener events, ErrorListener errors) {
        Attempt attempt = new Attempt(errors);
        Future<?> running = threads.work().submit(() -> attempt.run(() -> options(host, events, attempt)));
        try {
            return attempt.result.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof AuthenticationException refused
                    ? away("refuses us: " + words(refused) + "; check user and password, token or credentials", refused)
                    : away("cannot be reached: " + host + ": " + words(failed.getCause()), failed.getCause());
        } catch (TimeoutException slow) {
            throw away("did not answer within " + limit.toMillis() / 1000.0 + " s: " + host, slow);
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
            throw away("was not waited for", inAHurry);
        } finally {
            attempt.result.cancel(false);
            running.cancel(true);
        }
    }

    private HandlerException away(String what, @Nullable Throwable cause) {
        return new HandlerException(Verdict.OUTAGE, "NATS at " + url + " " + what + ".", cause);
    }

    private Options options(NatsUrl.Host host, ConnectionListener events, ErrorListener errors) throws IOException {
        Options.Builder options = Options.builder()
                .server((url.tls() ? "tls://" : "nats://") + host)
                .connectionName("baton")
                .connectionTimeout(limit)
                .noReconnect()
                .reconnectBufferSize(0)
                .ignoreDiscoveredServers()
                .pingInterval(Duration.ofSeconds(10))
                .requestCleanupInterval(limit)
                .writeQueuePushTimeout(limit)
                .maxMessagesInOutgoingQueue(2 * Courier.MOST_UNFINISHED)
                .dontForceFlushOnRequest()
                .reportNoResponders()
                .supportUTF8Subjects()
                .connectionListener(events)
                .errorListener(errors)
                .executor(threads.work())
                .connectExecutor(threads.work())
                .callbackExecutor(threads.callbacks())
                .scheduledExecutor(threads.timer());
        SSLContext context = tls;
        if (context != null) {
            options.sslContext(CheckedTls.of(context, host.name()));
        }
        Path file = credentials;
        if (file != null) {
            return options.authHandler(Nats.credentials(file.toString())).build();
        }
        return login(options).build();
    }

    /** With a file, what stands alone before the @ is the user's name, and not a token. */
    private Options.Builder login(Options.Builder options) throws IOException {
        Path file = secretFile;
        String user = file != null && url.user().isEmpty() ? url.secret() : url.user();
        String secret = file == null ? url.secret() : Files.readString(file).replaceFirst("\\R\\z", "");
        if (!user.isEmpty()) {
            return options.userInfo(user.toCharArray(), secret.toCharArray());
        }
        return secret.isEmpty() ? options : options.token(secret.toCharArray());
    }

    /** What happened, in the words of whoever said it. */
    static String words(@Nullable Throwable failure) {
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

    @Override
    public String toString() {
        return url.toString();
    }

    /** What the client says while it connects; it keeps the reason of a failure to itself, and tells only its listener. */
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
                // The listener hears of the reason a moment later.
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
            // While it connects, the server has nothing to say but that it will not have us.
            if (!result.completeExceptionally(new AuthenticationException(error))) {
                next.errorOccurred(connection, error);
            }
        }
    }
}
