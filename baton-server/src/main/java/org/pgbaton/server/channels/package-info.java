/** The commands {@code baton channels …}, which show the channels of a file and try them out. */
@NullMarked
package org.pgbaton.server.channels;

import org.jspecify.annotations.NullMarked;
