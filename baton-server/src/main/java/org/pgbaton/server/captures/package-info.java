/** {@code baton captures}: what operators do with captures. */
@NullMarked
package org.pgbaton.server.captures;

import org.jspecify.annotations.NullMarked;
