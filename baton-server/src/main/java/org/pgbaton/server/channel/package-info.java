/**
 * Channels: notices about row changes, each channel a subscription of its own. From a message to a notice: {@link
 * org.pgbaton.server.channel.Change}, rules, template, carrier.
 */
@NullMarked
package org.pgbaton.server.channel;

import org.jspecify.annotations.NullMarked;
