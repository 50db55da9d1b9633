/** {@code baton channels}: the channels of a file, shown and tried out. */
@NullMarked
package org.pgbaton.server.channels;

import org.jspecify.annotations.NullMarked;
