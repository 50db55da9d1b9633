/** Messages as e-mail. Start at {@link org.pgbaton.mail.MailPublisher}. */
@NullMarked
package org.pgbaton.mail;

import org.jspecify.annotations.NullMarked;
