/** Messages to webhooks. Start at {@link org.pgbaton.http.WebhookPublisher}. */
@NullMarked
package org.pgbaton.http;

import org.jspecify.annotations.NullMarked;
