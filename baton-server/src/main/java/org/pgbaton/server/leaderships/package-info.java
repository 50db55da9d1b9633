/** The commands {@code baton leaderships}. */
@NullMarked
package org.pgbaton.server.leaderships;

import org.jspecify.annotations.NullMarked;
