/**
 * The command line {@code baton}. {@link org.pgbaton.server.Main} knows all commands and turns failures into exit codes. A group of commands has a
 * package that is named like it, such as {@code captures}; no package imports this one.
 */
@NullMarked
package org.pgbaton.server;

import org.jspecify.annotations.NullMarked;
