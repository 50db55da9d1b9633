/** The commands {@code baton captures …}. */
@NullMarked
package org.pgbaton.server.captures;

import org.jspecify.annotations.NullMarked;
