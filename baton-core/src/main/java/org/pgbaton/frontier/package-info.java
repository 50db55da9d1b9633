/** How far a log may be read without ever skipping a row that commits later. */
@NullMarked
package org.pgbaton.frontier;

import org.jspecify.annotations.NullMarked;
