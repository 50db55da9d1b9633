/** The command line. One class for each command; {@link org.pgbaton.server.Main} turns failures into exit codes. */
@NullMarked
package org.pgbaton.server;

import org.jspecify.annotations.NullMarked;
