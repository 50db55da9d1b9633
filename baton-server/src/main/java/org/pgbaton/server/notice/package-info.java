/**
 * Channels: notices about row changes, each channel a subscription of its own. From a message to a notice: {@link
 * org.pgbaton.server.notice.RowChange}, rules, template, carrier.
 */
@NullMarked
package org.pgbaton.server.notice;

import org.jspecify.annotations.NullMarked;
