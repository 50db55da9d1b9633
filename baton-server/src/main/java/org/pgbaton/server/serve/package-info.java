/** {@code baton serve}: the relays of a file, run until a signal comes. */
@NullMarked
package org.pgbaton.server.serve;

import org.jspecify.annotations.NullMarked;
