/** {@code baton serve}: the configuration of relays, captures and channels, and everything that runs them on one database. */
@NullMarked
package org.pgbaton.server.serve;

import org.jspecify.annotations.NullMarked;
