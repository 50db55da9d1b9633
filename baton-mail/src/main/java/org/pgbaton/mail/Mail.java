package org.pgbaton.mail;

import org.jspecify.annotations.Nullable;

/**
 * The content of an e-mail. Control characters, also line breaks in the subject, become blanks when it is sent, so
 * nothing in it can add a header or end the message.
 *
 * @param html the same for programs that show HTML; values that come from others must be escaped in it
 */
public record Mail(String subject, String text, @Nullable String html) {
    /** A mail without HTML. */
    public Mail(String subject, String text) {
        this(subject, text, null);
    }
}
