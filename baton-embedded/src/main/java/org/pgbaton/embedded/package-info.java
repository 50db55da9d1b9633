/**
 * Runs PostgreSQL without an installation.
 *
 * <ul>
 *   <li>{@link org.pgbaton.embedded.SharedPostgres}: one durable server, shared by all processes of a machine.
 *   <li>{@link org.pgbaton.embedded.PostgresServer}: a server of one's own, and {@code throwaway} ones for tests.
 * </ul>
 */
@NullMarked
package org.pgbaton.embedded;

import org.jspecify.annotations.NullMarked;
