/**
 * For tests of publishers. A new one starts from two suites: {@link org.pgbaton.testkit.publisher.PublisherContract}, what every
 * publisher owes its relay, and, if the broker confirms messages one by one, {@link
 * org.pgbaton.testkit.publisher.BrokerPublisherContract}, what becomes of messages when the broker dies or freezes and when the network
 * breaks or stalls.
 */
@NullMarked
package org.pgbaton.testkit.publisher;

import org.jspecify.annotations.NullMarked;
