package org.pgbaton.mail;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.Redaction;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** A connection to the mail server, for one mail after the other. It belongs to one thread at a time; {@link #cut} is for any thread. */
final class SmtpConnection implements AutoCloseable {
    /**
     * Many servers limit the number of mails for each connection, and break the connection when the limit is reached.
     */
    private static final int MOST_MAILS = 50;

    private final MailServer server;
    private final MimeMessages envelopes;
    private final Refusals refusals;
    private final Duration limit;
    private final CuttableSockets sockets;
    private final Session session;
    private final Transport transport;
    private Redaction redaction = new Redaction(List.of());
    private int sent;
    private long usedAt;

    SmtpConnection(MailServer server, MimeMessages envelopes, Refusals refusals, Duration limit) {
        this.server = server;
        this.envelopes = envelopes;
        this.refusals = refusals;
        this.limit = limit;
        this.sockets = new CuttableSockets(server.ssl());
        this.session = Session.getInstance(
                server.properties(sockets, limit, envelopes.from().getAddress()));
        try {
            this.transport = session.getTransport("smtp");
        } catch (MessagingException impossible) {
            throw new IllegalStateException("The mail library has no SMTP.", impossible);
        }
    }

    /** Returns when the server has taken the mail. */
    void send(Mail mail, Message message, Delivery delivery) {
        try {
            connect();
            var mime = envelopes.of(session, mail, message, delivery);
            transport.sendMessage(mime, mime.getAllRecipients());
            sent++;
            usedAt = System.nanoTime();
        } catch (MessagingException failure) {
            throw refusals.of(failure, redaction, sockets.isEnded(), limit);
        }
    }

    private void connect() throws MessagingException {
        if (sent > 0) {
            return;
        }
        String password;
        try {
            password = server.currentPassword();
        } catch (IOException unreadable) {
            throw new HandlerException(
                    Verdict.OUTAGE, "The file with the password of " + server + " cannot be read just now.");
        }
        redaction = secrets(server.user(), password);
        transport.connect(server.host(), server.port(), server.user(), password);
    }

    /** The password, in every form in which it is sent. */
    private static Redaction secrets(@Nullable String user, @Nullable String password) {
        return new Redaction(
                password == null
                        ? List.of()
                        : List.of(base64("\0" + user + "\0" + password), base64(password), password));
    }

    private static String base64(String text) {
        return Base64.getEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether the connection can be used once more; asks the server. */
    boolean isGood(Duration longestRest) {
        return sent > 0
                && sent < MOST_MAILS
                && System.nanoTime() - usedAt < longestRest.toNanos()
                && !sockets.isEnded()
                && transport.isConnected();
    }

    boolean hasRested(Duration longest) {
        return System.nanoTime() - usedAt > longest.toNanos();
    }

    /** Ends the connection at once, and fails the mail that is being sent. Any thread may call it. */
    void cut() {
        sockets.end();
    }

    @Override
    public void close() {
        try {
            transport.close();
        } catch (MessagingException gone) {
            // Then it is closed.
        }
        sockets.end();
    }
}
