/**
 * Captures at work: one process reads the WAL of a capture under a leadership, and writes each change to the log once. Here is the way from the
 * start of a capture to the row in the log. Not API.
 */
@NullMarked
package org.pgbaton.wal;

import org.jspecify.annotations.NullMarked;
