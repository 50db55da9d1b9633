/** {@code baton subscriptions}: what operators see of subscriptions, and do with them. */
@NullMarked
package org.pgbaton.server.subscriptions;

import org.jspecify.annotations.NullMarked;
