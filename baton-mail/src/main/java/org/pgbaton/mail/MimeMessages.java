package org.pgbaton.mail;

import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.HeaderEncoding;
import org.pgbaton.subscription.Delivery;

/**
 * Makes the mails. The Message-ID is made of the message's id and the subscription. So mail programs recognise a mail
 * that is sent again, and tell it from the mail of another channel. Immutable.
 */
final class MimeMessages {
    private static final Pattern NO_LINE = Pattern.compile("[\\p{Cntrl}\u0085\u2028\u2029]+");
    private static final Pattern NO_TEXT = Pattern.compile("[\\p{Cntrl}&&[^\n\t]]");
    private static final int MOST_OF_A_HEADER = 300;
    private static final int MOST_OF_A_SUBJECT = 250;

    private final InternetAddress from;
    private final List<InternetAddress> to;

    MimeMessages(InternetAddress from, List<InternetAddress> to) {
        this.from = from;
        this.to = to;
    }

    InternetAddress from() {
        return from;
    }

    @SuppressWarnings("JavaUtilDate") // the mail library wants it
    MimeMessage of(Session session, Mail mail, Message message, Delivery delivery) throws MessagingException {
        Identified mime = new Identified(session, messageId(message, delivery));
        mime.setFrom(from);
        mime.setRecipients(RecipientType.TO, to.toArray(InternetAddress[]::new));
        mime.setSubject(line(mail.subject()), "UTF-8");
        mime.setSentDate(Date.from(Instant.now()));
        // Automatic replies, such as holiday notices, are not sent to such a mail.
        mime.setHeader("Auto-Submitted", "auto-generated");
        mime.setHeader("Baton-Id", message.id().toString());
        mime.setHeader("Baton-Key", encoded(message.key()));
        mime.setHeader("Baton-Position", Long.toString(message.position()));
        mime.setHeader("Baton-Epoch", Long.toString(delivery.epoch()));
        mime.setHeader("Baton-Attempt", Integer.toString(delivery.attempt()));
        mime.setHeader("Baton-Subscription", encoded(delivery.subscription()));
        if (mail.html() == null) {
            mime.setText(text(mail.text()), "UTF-8");
        } else {
            mime.setContent(new MimeMultipart(
                    "alternative", part(mail.text(), "plain"), part(String.valueOf(mail.html()), "html")));
        }
        mime.saveChanges();
        return mime;
    }

    private static MimeBodyPart part(String text, String kind) throws MessagingException {
        MimeBodyPart part = new MimeBodyPart();
        part.setText(text(text), "UTF-8", kind);
        return part;
    }

    private String messageId(Message message, Delivery delivery) {
        String address = from.getAddress();
        UUID channel = UUID.nameUUIDFromBytes(delivery.subscription().getBytes(StandardCharsets.UTF_8));
        return "<" + message.id() + "." + channel.toString().substring(0, 8) + "@"
                + address.substring(address.lastIndexOf('@') + 1) + ">";
    }

    private static final class Identified extends MimeMessage {
        private final String id;

        Identified(Session session, String id) {
            super(session);
            this.id = id;
        }

        @Override
        protected void updateMessageID() throws MessagingException {
            setHeader("Message-ID", id);
        }
    }

    /** The text as one line. */
    static String line(String text) {
        String line = NO_LINE.matcher(text).replaceAll(" ").strip();
        return line.length() <= MOST_OF_A_SUBJECT ? line : cut(line, MOST_OF_A_SUBJECT) + "…";
    }

    private static String cut(String text, int most) {
        return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
    }

    private static String text(String text) {
        return NO_TEXT.matcher(text.replace("\r\n", "\n").replace('\r', '\n')).replaceAll(" ");
    }

    /** As in the headers of webhooks, cut off where it gets too long. */
    static String encoded(@Nullable String text) {
        return HeaderEncoding.encoded(String.valueOf(text), MOST_OF_A_HEADER);
    }
}
