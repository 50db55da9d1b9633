/** Capture: row changes from the WAL into a log, each once and in the order of the commits. */
@NullMarked
package org.pgbaton.capture;

import org.jspecify.annotations.NullMarked;
