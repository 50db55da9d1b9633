/**
 * The parts that publishers share.
 *
 * <p>For a broker that confirms messages one by one, {@link org.pgbaton.publishing.BrokerPublisher} is the whole sending loop: threads,
 * deadlines, back-off, closing. A publisher adds three things: a {@link org.pgbaton.publishing.Broker} that connects, a {@link
 * org.pgbaton.publishing.BrokerLink} that sends and reports what the broker says, and the {@link org.pgbaton.publishing.Envelopes} it
 * makes of messages. The other classes are pieces that each publisher may use on its own.
 */
@NullMarked
package org.pgbaton.publishing;

import org.jspecify.annotations.NullMarked;
