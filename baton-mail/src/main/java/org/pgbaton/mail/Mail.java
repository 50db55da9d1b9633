package org.pgbaton.mail;

import org.jspecify.annotations.Nullable;

/**
 * What an e-mail says. Control characters, line breaks in the subject among them, become blanks when it is sent: nothing in it can add a
 * header or end the message.
 *
 * @param html the same for programs that show HTML; what is not ours must be escaped in it
 */
public record Mail(String subject, String text, @Nullable String html) {
    /** A mail without HTML. */
    public Mail(String subject, String text) {
        this(subject, text, null);
    }
}
