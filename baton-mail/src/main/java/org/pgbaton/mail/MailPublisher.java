package org.pgbaton.mail;

import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.io.UnsupportedEncodingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.DaemonThreads;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Verdict;

/**
 * Publishes messages as e-mail, through an SMTP server.
 *
 * <pre>{@code
 * MailPublisher mail = MailPublisher.via("smtp.example.com")
 *         .login("alerts", System.getenv("MAIL_PASSWORD"))
 *         .from("Alerts <alerts@example.com>")
 *         .to("ops@example.com")
 *         .compose(message -> new Mail("Limit of " + message.key(), message.text()))
 *         .build();
 * }</pre>
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>A message is published when the server has taken the mail for all recipients. Whether it reaches the mailboxes
 *       is not known.
 *   <li>The Message-ID is the same each time a message is sent; {@code Baton-Id}, {@code -Key}, {@code -Position}, {@code -Epoch},
 *       {@code -Attempt} and {@code -Subscription} go with it.
 *   <li>A recipient or content that is refused for good (5xx) parks the message's key; everything else is an outage.
 *   <li>Sending ends within the time limit, whatever the server does. At most 4 connections are open, each kept for some seconds.
 *   <li>With TLS, the default, the certificate must be valid for the host. A password is not sent without TLS, except to this machine,
 *       and shown nowhere.
 * </ul>
 *
 * <p>Thread-safe. Completions run on this publisher's threads.
 */
public final class MailPublisher implements Publisher {
    private static final int CONNECTIONS = 4;
    private static final int MOST_WAITING = 32;
    private static final Duration BUSY = Duration.ofMillis(100);
    private static final Duration LONGEST_REST = Duration.ofSeconds(10);
    private static final Duration PATIENCE_AT_CLOSE = Duration.ofSeconds(5);

    private final MailServer server;
    private final MimeMessages envelopes;
    private final Refusals refusals;
    private final Function<Message, Mail> compose;
    private final Duration limit;
    private final int maxSize;
    private final String target;
    private final ThreadPoolExecutor threads;
    private final ScheduledThreadPoolExecutor clock;
    private final ConcurrentLinkedDeque<SmtpConnection> resting = new ConcurrentLinkedDeque<>();
    private final Set<SmtpConnection> busy = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Outage outage;
    private volatile boolean closed;

    /** An outage that was seen. Mails that waited when it began fail with it, without a try of their own. */
    private record Outage(HandlerException why, long at) {}

    private MailPublisher(Builder options, MailServer server, MimeMessages envelopes) {
        this.server = server;
        this.envelopes = envelopes;
        this.refusals = new Refusals(server.toString());
        this.compose = options.compose;
        this.limit = options.timeout;
        this.maxSize = options.maxSize;
        this.target = "mail to " + String.join(", ", options.to) + " by " + server.host();
        ThreadFactory factory = new DaemonThreads("baton-mail");
        this.threads = new ThreadPoolExecutor(
                CONNECTIONS, CONNECTIONS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), factory);
        this.threads.allowCoreThreadTimeOut(true);
        this.clock = new ScheduledThreadPoolExecutor(1, factory);
        this.clock.setRemoveOnCancelPolicy(true);
    }

    /**
     * Begins to describe a publisher.
     *
     * @param host the SMTP server; the certificate must be for this name
     */
    public static Builder via(String host) {
        return new Builder(host);
    }

    /** {@code mail to ops@example.com by smtp.example.com}. */
    @Override
    public String target() {
        return target;
    }

    @Override
    public CompletionStage<Void> publish(Message message, Delivery delivery) {
        try {
            return send(compose.apply(message), message, delivery);
        } catch (RuntimeException theirs) {
            return CompletableFuture.failedStage(theirs);
        }
    }

    /** Sends this mail for that message, in place of what {@link Builder#compose} would make of it. */
    public CompletionStage<Void> send(Mail mail, Message message, Delivery delivery) {
        if (closed) {
            return CompletableFuture.failedStage(refusals.closed());
        }
        int size = mail.text().length() + (mail.html() == null ? 0 : mail.html().length());
        if (size > maxSize) {
            return CompletableFuture.failedStage(refusals.tooLarge(size, maxSize));
        }
        CompletableFuture<Void> result = new CompletableFuture<>();
        long asked = System.nanoTime();
        try {
            threads.execute(() -> send(mail, message, delivery, asked, result));
        } catch (RejectedExecutionException full) {
            return CompletableFuture.failedStage(closed ? refusals.closed() : refusals.busy(BUSY));
        }
        return result;
    }

    private void send(Mail mail, Message message, Delivery delivery, long asked, CompletableFuture<Void> result) {
        Outage known = outage;
        if (closed || (known != null && known.at - asked > 0)) {
            result.completeExceptionally(closed || known == null ? refusals.closed() : known.why);
            return;
        }
        SmtpConnection connection = connection();
        busy.add(connection);
        // The message ends in time even if a name is not resolved, or the server sends a byte now and then.
        Future<?> watch = clock.schedule(() -> tooLate(connection, result), limit.toMillis(), TimeUnit.MILLISECONDS);
        try {
            connection.send(mail, message, delivery);
            busy.remove(connection);
            rest(connection);
            result.complete(null);
        } catch (RuntimeException failure) {
            busy.remove(connection);
            connection.close();
            if (failure instanceof HandlerException theirs && theirs.verdict() == Verdict.OUTAGE) {
                outage = new Outage(theirs, System.nanoTime());
            }
            result.completeExceptionally(failure);
        } finally {
            watch.cancel(false);
        }
    }

    private void tooLate(SmtpConnection connection, CompletableFuture<Void> result) {
        connection.cut();
        result.completeExceptionally(refusals.late(limit));
    }

    private SmtpConnection connection() {
        SmtpConnection connection = resting.pollFirst();
        while (connection != null && !connection.isGood(LONGEST_REST)) {
            connection.close();
            connection = resting.pollFirst();
        }
        return connection != null ? connection : new SmtpConnection(server, envelopes, refusals, limit);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    private void rest(SmtpConnection connection) {
        resting.addFirst(connection);
        try {
            clock.schedule(this::closeRested, LONGEST_REST.toMillis() + 10, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closing) {
            closeRested();
        }
    }

    private void closeRested() {
        for (SmtpConnection connection : resting) {
            if ((closed || connection.hasRested(LONGEST_REST)) && resting.remove(connection)) {
                connection.close();
            }
        }
    }

    /** Mails that are under way get 5 s; then they are cut off, and end as an outage. */
    @Override
    public void close() {
        closed = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(PATIENCE_AT_CLOSE.toMillis(), TimeUnit.MILLISECONDS)) {
                busy.forEach(SmtpConnection::cut);
            }
        } catch (InterruptedException stop) {
            busy.forEach(SmtpConnection::cut);
            Thread.currentThread().interrupt();
        }
        clock.shutdown();
        closeRested();
    }

    @Override
    public String toString() {
        return target();
    }

    /** How to publish. Not thread-safe. */
    public static final class Builder {
        private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(10);

        private final String host;
        private @Nullable Integer port;
        private Tls tls = Tls.STARTTLS;
        private @Nullable Path authorities;
        private @Nullable String user;
        private @Nullable String password;
        private @Nullable Path passwordFile;
        private @Nullable String from;
        private final List<String> to = new ArrayList<>();
        private Duration timeout = Duration.ofSeconds(20);
        private int maxSize = 1_000_000;
        private Function<Message, Mail> compose = Builder::asItIs;

        private Builder(String host) {
            this.host = host;
        }

        private static Mail asItIs(Message message) {
            String type = message.type() == null ? "Message" : message.type();
            return new Mail(type + " " + message.key(), message.text());
        }

        /** The port of the server. Default: 587 with STARTTLS, 465 with TLS from the start, 25 without. */
        public Builder port(int number) {
            this.port = number;
            return this;
        }

        /** How the connection is encrypted. Default: {@link Tls#STARTTLS}. */
        public Builder tls(Tls kind) {
            this.tls = kind;
            return this;
        }

        /** Trusts these certificates of authorities, in PEM form, in place of those that Java trusts. */
        public Builder authorities(Path file) {
            this.authorities = file;
            return this;
        }

        /** Logs in with this password, which is shown nowhere. */
        public Builder login(String name, String secret) {
            this.user = name;
            this.password = secret;
            this.passwordFile = null;
            return this;
        }

        /** Logs in with the password in this file, which is read anew at every connect. */
        public Builder login(String name, Path secretFile) {
            this.user = name;
            this.password = null;
            this.passwordFile = secretFile;
            return this;
        }

        /** The sender: {@code alerts@example.com} or {@code Alerts <alerts@example.com>}. */
        public Builder from(String address) {
            this.from = address;
            return this;
        }

        /** A recipient. Given several times: one mail to all of them. */
        public Builder to(String address) {
            to.add(address);
            return this;
        }

        /** How long sending one mail may take, with connecting (default 20 s). */
        public Builder timeout(Duration longest) {
            this.timeout = longest;
            return this;
        }

        /** A message whose texts have more characters is parked (default 1,000,000). */
        public Builder maxSize(int characters) {
            this.maxSize = characters;
            return this;
        }

        /** Makes the mail of a message. What it throws is the message's failure. Default: type and key, and the payload as text. */
        public Builder compose(Function<Message, Mail> function) {
            this.compose = function;
            return this;
        }

        /**
         * Makes the publisher, which connects to nothing yet.
         *
         * @throws IllegalArgumentException if something is missing or makes no sense
         */
        public MailPublisher build() {
            require(
                    !host.isBlank() && host.matches("[A-Za-z0-9._:-]+"),
                    "A mail publisher needs the name of its server.");
            int number = port == null ? tls.port() : port;
            require(number > 0 && number <= 65535, "The port " + number + " makes no sense: give 1 to 65535.");
            require(
                    timeout.toMillis() >= 1 && timeout.compareTo(LONGEST_TIMEOUT) <= 0,
                    "A timeout of " + timeout + " makes no sense: give 1 ms to 10 min (default 20 s).");
            require(
                    maxSize >= 1,
                    "A maxSize of " + maxSize + " characters makes no sense: give 1 or more (default 1000000).");
            require(!to.isEmpty(), "A mail publisher needs at least one recipient: to(...).");
            require(
                    user == null || tls != Tls.NONE || host.matches("localhost|127\\.\\d+\\.\\d+\\.\\d+|::1"),
                    "A password for " + host
                            + " without TLS could be read by others on the way: use STARTTLS or IMPLICIT.");
            MailServer server =
                    new MailServer(host, number, tls, user, password, passwordFile, MailServer.trusting(authorities));
            MimeMessages envelopes = new MimeMessages(
                    address("sender", from == null ? "" : from),
                    to.stream().map(each -> address("recipient", each)).toList());
            return new MailPublisher(this, server, envelopes);
        }

        private static InternetAddress address(String what, String text) {
            try {
                InternetAddress[] parsed = InternetAddress.parse(text, true);
                // With a line break in the text, the parser would see comments and folded names.
                if (parsed.length == 1
                        && !parsed[0].isGroup()
                        && text.chars().noneMatch(Character::isISOControl)
                        && (text.strip().endsWith(">") || !text.contains("<"))
                        && parsed[0].getAddress().matches("[^@\\s<>]+@[^@\\s<>]+")) {
                    parsed[0].validate();
                    parsed[0].setPersonal(parsed[0].getPersonal(), "UTF-8");
                    return parsed[0];
                }
            } catch (AddressException | UnsupportedEncodingException wrong) {
                // The error is thrown below.
            }
            String shown = text.replaceAll("\\p{Cntrl}", "?");
            throw new IllegalArgumentException("'" + shown.substring(0, Math.min(60, shown.length())) + "' is no "
                    + what + "'s address: write it like ops@example.com or Ops <ops@example.com>.");
        }

        private static void require(boolean holds, String otherwise) {
            if (!holds) {
                throw new IllegalArgumentException(otherwise);
            }
        }
    }
}
