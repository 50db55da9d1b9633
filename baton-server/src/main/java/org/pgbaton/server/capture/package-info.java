/** Captures as a file describes them, running in this process. */
@NullMarked
package org.pgbaton.server.capture;

import org.jspecify.annotations.NullMarked;
