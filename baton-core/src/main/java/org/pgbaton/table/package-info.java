/** The table of a log: rows appended, read, looked after. */
@NullMarked
package org.pgbaton.table;

import org.jspecify.annotations.NullMarked;
