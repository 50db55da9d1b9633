/** What a shell and {@code man} know about the command line: completion scripts and manual pages, made from the commands themselves. */
@NullMarked
package org.pgbaton.server.shell;

import org.jspecify.annotations.NullMarked;
