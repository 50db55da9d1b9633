package org.pgbaton.mail;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import java.io.IOException;
import java.time.Duration;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** A connection to the server, used for one mail after the other. Belongs to one thread at a time; {@link #cut} is for any. */
final class Line implements AutoCloseable {
    /** Servers have such limits, and say so in unfriendly ways. */
    private static final int MOST_MAILS = 50;

    private final Server server;
    private final Envelopes envelopes;
    private final Refusals refusals;
    private final Duration limit;
    private final Sockets sockets;
    private final Session session;
    private final Transport transport;
    private Redaction redaction;
    private int sent;
    private long usedAt;

    Line(Server server, Envelopes envelopes, Refusals refusals, Duration limit) {
        this.server = server;
        this.envelopes = envelopes;
        this.refusals = refusals;
        this.limit = limit;
        this.sockets = new Sockets(server.ssl());
        this.session = Session.getInstance(
                server.properties(sockets, limit, envelopes.from().getAddress()));
        this.redaction = new Redaction(null, null);
        try {
            this.transport = session.getTransport("smtp");
        } catch (MessagingException impossible) {
            throw new IllegalStateException("The mail library has no SMTP.", impossible);
        }
    }

    /** Returns when the server has taken it. */
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
        redaction = new Redaction(server.user(), password);
        transport.connect(server.host(), server.port(), server.user(), password);
    }

    /** Whether it can be used once more, as far as the server answers. */
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

    /** By force: whoever uses it fails. */
    void cut() {
        sockets.end();
    }

    @Override
    public void close() {
        try {
            transport.close();
        } catch (MessagingException gone) {
            // So it is closed.
        }
        sockets.end();
    }
}
