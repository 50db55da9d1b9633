/**
 * What a replication slot says, in protocol version 1 of PostgreSQL's {@code pgoutput}: from bytes to messages, from messages to changes, from
 * changes to JSON and keys. Knows no connection and no catalog. Not API.
 */
@NullMarked
package org.pgbaton.capture.pgoutput;

import org.jspecify.annotations.NullMarked;
