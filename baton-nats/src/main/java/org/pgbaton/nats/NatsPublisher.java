package org.pgbaton.nats;

import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.pgbaton.publishing.BrokerPublisher;
import org.pgbaton.publishing.BrokerPublisherBuilder;
import org.pgbaton.publishing.CloudEventAttributes;
import org.pgbaton.publishing.DaemonThreads;
import org.pgbaton.publishing.SecretFile;

/**
 * Publishes to NATS JetStream. A message counts as published when a stream has acknowledged it. The stream recognises a message that
 * comes twice by its id, within its duplicate window (2 minutes unless it says otherwise).
 *
 * <pre>{@code
 * NatsPublisher nats = NatsPublisher.to("tls://nats.example").credentials(Path.of("/run/secrets/app.creds")).build();
 * Subscription relay = baton.subscription("orders-out").on("outbox").publish(nats).start();
 * }</pre>
 *
 * <p>What arrives: the payload as it was written; headers {@code Nats-Msg-Id} (the message's id), {@code content-type} (the message's own,
 * else {@code application/json} or {@code application/octet-stream}), the message's own, and {@code baton-key}, {@code baton-topic}, {@code
 * baton-type}, {@code baton-subscription} (percent-encoded, as NATS's headers are ASCII), {@code baton-position}, {@code
 * baton-epoch}, {@code baton-attempt}.
 *
 * <p>What failures mean: NATS or JetStream away, or refusing us: an outage. A message too large, or without what its subject is made
 * of: parked. A full stream, no acknowledgement in time: tried again, and parked after some attempts. No stream for the subject: an outage if
 * all messages go to one subject; else only the messages of that subject are tried again.
 *
 * <p>It connects when there is something to send, and again, with growing pauses, after the connection was lost. A message that failed is
 * not sent later; NATS may still have got it. Thread-safe; {@link #publish} never waits for NATS. What depends on the stage
 * it returns runs on the publisher's own threads, and should be quick.
 */
public final class NatsPublisher extends BrokerPublisher {
    private NatsPublisher(String target, NatsEnvelopes envelopes, NatsBroker broker, ThreadFactory threads) {
        super(target, envelopes, broker, broker.limit(), threads);
    }

    /**
     * Begins to describe a publisher.
     *
     * @param url {@code nats://user:password@host:4222}, {@code nats://token@host}, or {@code tls://} for TLS; several servers of a cluster
     *     are separated by commas; a special character is written %40 and the like
     */
    public static Builder to(String url) {
        return new Builder(NatsUrl.parse(url));
    }

    /**
     * Options, all with good defaults. If the URL names no user, the password file holds a token. Not thread-safe.
     */
    public static final class Builder extends BrokerPublisherBuilder<Builder> {
        private final NatsUrl url;
        private @Nullable Path credentials;
        private String subject = "{topic}";
        private @Nullable CloudEventAttributes cloudEvents;

        private Builder(NatsUrl url) {
            super("nats://", "tls://", url.tls());
            this.url = url;
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Publishes to this subject. Default: <code>{topic}</code>.
         *
         * @param name may contain <code>{topic}</code>, <code>{key}</code> and <code>{type}</code>
         */
        public Builder subject(String name) {
            this.subject = Objects.requireNonNull(name, "name");
            return this;
        }

        /** Logs in with a file of credentials as {@code nsc} makes it, with a JWT and a key. It is read at every connect. */
        public Builder credentials(Path file) {
            this.credentials = SecretFile.checked("credentials file", file);
            return this;
        }

        /**
         * Makes every message a CloudEvent in binary mode: headers {@code ce-id}, {@code ce-source}, {@code ce-type} and so on, beside the others. Default: no.
         *
         * @param source where messages come from, a URI or a part of one: {@code /shop/orders}
         */
        public Builder cloudEvents(String source) {
            this.cloudEvents = CloudEventAttributes.of("ce-", source);
            return this;
        }

        /** Makes the publisher, which connects to nothing yet. */
        public NatsPublisher build() {
            // Credentials may go unencrypted: their key signs, and never leaves this machine.
            checkLogin(url.toString(), url.hosts(), !url.secret().isEmpty());
            SubjectTemplate subjects = SubjectTemplate.parse(subject);
            ThreadFactory threads = new DaemonThreads("baton-nats");
            NatsBroker broker =
                    new NatsBroker(url, connectOptions(), credentials, subjects.isFixed(), ClientThreads.from(threads));
            return new NatsPublisher(
                    url + ", subject " + subject, new NatsEnvelopes(subjects, cloudEvents), broker, threads);
        }
    }
}
