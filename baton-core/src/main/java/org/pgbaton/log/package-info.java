/** Append-only tables: writing to them, reading from them, looking after them. */
@NullMarked
package org.pgbaton.log;

import org.jspecify.annotations.NullMarked;
