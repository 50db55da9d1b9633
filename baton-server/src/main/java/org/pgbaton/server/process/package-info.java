/** {@code baton serve} as a process: signals, the port, and the databases that it serves. */
@NullMarked
package org.pgbaton.server.process;

import org.jspecify.annotations.NullMarked;
