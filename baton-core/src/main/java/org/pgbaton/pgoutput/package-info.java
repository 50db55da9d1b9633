/**
 * Decodes what a replication slot sends in protocol version 1 of PostgreSQL's {@code pgoutput}: bytes to messages, messages to changes, changes to
 * JSON and keys. Knows no connection and no catalog. Not API.
 */
@NullMarked
package org.pgbaton.pgoutput;

import org.jspecify.annotations.NullMarked;
