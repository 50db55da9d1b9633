package org.pgbaton.nats;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.UnencryptedLogin;

/**
 * Publishes to NATS JetStream. A message counts as published when a stream has acknowledged it. The stream recognises a message that
 * comes twice by its id, within its duplicate window (2 minutes unless it says otherwise).
 *
 * <pre>{@code
 * try (var nats = NatsPublisher.to("tls://nats.example").credentials(Path.of("/run/secrets/app.creds")).build()) {
 *     baton.subscription("orders-out").on("outbox").publish(nats).start();
 * }
 * }</pre>
 *
 * <p>What arrives: the payload as it was written; headers {@code Nats-Msg-Id} (the message's id), {@code content-type} (the message's own,
 * else {@code application/json} or {@code application/octet-stream}), the message's own, and {@code baton-key}, {@code baton-topic}, {@code
 * baton-type}, {@code baton-subscription} (percent-encoded, as NATS's headers are ASCII), {@code baton-position}, {@code
 * baton-epoch}, {@code baton-attempt}.
 *
 * <p>What failures mean: NATS or JetStream away, or refusing us: an outage. A message too large, or without what its subject is made
 * of: parked. A full stream, no acknowledgement in time: tried again, and parked after some attempts. No stream for the subject: an outage if
 * all messages go to one subject; else it concerns only its own messages, which are tried again.
 *
 * <p>It connects when there is something to send, and again, with growing pauses, after the connection was lost. A message that failed is
 * not sent later; NATS may still have got it. Thread-safe; {@link #publish} never waits for NATS. What depends on the stage
 * it returns runs on the publisher's own threads, and should be quick.
 */
public final class NatsPublisher implements Publisher {
    private final String target;
    private final Envelopes envelopes;
    private final Courier courier;

    private NatsPublisher(String target, Envelopes envelopes, Courier courier) {
        this.target = target;
        this.envelopes = envelopes;
        this.courier = courier;
    }

    /**
     * @param url {@code nats://user:password@host:4222}, {@code nats://token@host}, or {@code tls://} for TLS; several servers of a cluster
     *     are separated by commas; a special character is written %40 and the like
     */
    public static Builder to(String url) {
        return new Builder(NatsUrl.parse(url));
    }

    @Override
    public String target() {
        return target;
    }

    @Override
    public CompletionStage<?> publish(Message message, Delivery delivery) {
        Outgoing outgoing = envelopes.seal(message, delivery);
        courier.accept(outgoing);
        return outgoing.published();
    }

    @Override
    public void close() {
        courier.close();
    }

    @Override
    public String toString() {
        return "NatsPublisher to " + target;
    }

    /** Options, all with good defaults. Not thread-safe. */
    public static final class Builder {
        private static final Duration STANDARD_LIMIT = Duration.ofSeconds(10);

        private final NatsUrl url;
        private @Nullable Path secretFile;
        private @Nullable Path credentials;
        private @Nullable SSLContext tls;
        private String subject = "{topic}";
        private Duration limit = STANDARD_LIMIT;
        private boolean unencrypted;

        private Builder(NatsUrl url) {
            this.url = url;
        }

        /**
         * Default: <code>{topic}</code>.
         *
         * @param name may contain <code>{topic}</code>, <code>{key}</code> and <code>{type}</code>
         */
        public Builder subject(String name) {
            this.subject = Objects.requireNonNull(name, "name");
            return this;
        }

        /** A message that no stream has acknowledged by then has failed. Also for connecting to each server. Default 10 s. */
        public Builder timeout(Duration longest) {
            if (longest.compareTo(Duration.ofMillis(100)) < 0 || longest.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException("A time-out of " + longest
                        + " makes no sense: give 100 ms to 1 hour (default " + STANDARD_LIMIT.toSeconds() + " s).");
            }
            this.limit = longest;
            return this;
        }

        /** A file of credentials as {@code nsc} makes it, with a JWT and a key. It is read at every connect. */
        public Builder credentials(Path file) {
            this.credentials = readable("credentials file", file);
            return this;
        }

        /**
         * Holds the password of the user that the URL names or, if it names none, a token. It is read at every
         * connect.
         */
        public Builder passwordFile(Path file) {
            this.secretFile = readable("password file", file);
            return this;
        }

        private static Path readable(String what, Path file) {
            if (!Files.isReadable(file) || Files.isDirectory(file)) {
                throw new IllegalArgumentException("The " + what + " " + file + " cannot be read.");
            }
            return file;
        }

        /** For {@code tls}: whom to trust, and who we are. Default: the JVM's own. Host names are checked in any case. */
        public Builder tls(SSLContext context) {
            if (!url.tls()) {
                throw new IllegalArgumentException(
                        "TLS is set up for an address that starts with nats://; write tls://.");
            }
            this.tls = context;
            return this;
        }

        /**
         * Whether the login may go to another machine unencrypted (default false: refused by {@link #build}). For networks on
         * which nobody else can listen.
         */
        public Builder allowUnencryptedLogin(boolean allowed) {
            this.unencrypted = allowed;
            return this;
        }

        /** Connects to nothing yet. */
        public NatsPublisher build() {
            // A file of credentials is another thing: its key signs, and never leaves this machine.
            if (!unencrypted && !url.tls() && (!url.secret().isEmpty() || secretFile != null)) {
                UnencryptedLogin.refuse(
                        url.toString(),
                        url.hosts().stream().map(NatsUrl.Host::name).toList(),
                        "write tls://");
            }
            Template subjects = Template.parse(subject);
            SSLContext context = url.tls() ? context() : null;
            ThreadFactory threads = new Threads();
            ClientThreads client = ClientThreads.from(threads);
            Broker broker = new Broker(url, secretFile, credentials, context, limit, client);
            return new NatsPublisher(
                    url + ", subject " + subject,
                    new Envelopes(subjects),
                    new Courier(broker, client, subjects.isFixed(), limit, threads));
        }

        private SSLContext context() {
            try {
                SSLContext given = tls;
                return given != null ? given : SSLContext.getDefault();
            } catch (NoSuchAlgorithmException misconfigured) {
                throw new IllegalArgumentException("This JVM's default TLS settings do not work.", misconfigured);
            }
        }
    }

    /** Ours and the client's: they keep no JVM alive. */
    private static final class Threads implements ThreadFactory {
        private static final AtomicInteger NUMBER = new AtomicInteger();

        @Override
        public Thread newThread(Runnable work) {
            Thread thread = new Thread(work, "baton-nats-" + NUMBER.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }
    }
}
