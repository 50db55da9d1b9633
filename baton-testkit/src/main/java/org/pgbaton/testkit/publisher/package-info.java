/**
 * For tests of publishers. The tests of a new publisher start from two suites:
 * {@link org.pgbaton.testkit.publisher.PublisherContract}, the contract of every publisher, and, if the broker confirms
 * messages one by one, {@link org.pgbaton.testkit.publisher.BrokerPublisherContract}, in which the broker dies and
 * freezes and the network breaks and stalls.
 */
@NullMarked
package org.pgbaton.testkit.publisher;

import org.jspecify.annotations.NullMarked;
