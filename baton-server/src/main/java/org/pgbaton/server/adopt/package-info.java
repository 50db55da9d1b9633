/** {@code baton logs adopt}: moving in from a table with a status column. */
@NullMarked
package org.pgbaton.server.adopt;

import org.jspecify.annotations.NullMarked;
