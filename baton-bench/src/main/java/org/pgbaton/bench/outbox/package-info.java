/**
 * {@code baton bench outbox}: how quickly a backlog gets from the outbox to Kafka, and a single message, beside a bare producer and
 * beside peers; with the order of every key checked for everybody.
 *
 * <p>A {@link org.pgbaton.bench.outbox.Contestant} is a class that relays, in one JVM or several ({@link
 * org.pgbaton.bench.outbox.ContestantProgram}); a {@link org.pgbaton.bench.outbox.Stage} is the database, the topic and the processes
 * of one measurement. A consumer in a JVM of its own ({@link org.pgbaton.bench.outbox.ReaderProgram}) takes the times and checks.
 */
@NullMarked
package org.pgbaton.bench.outbox;

import org.jspecify.annotations.NullMarked;
