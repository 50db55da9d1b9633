/** Drains: going on with keys that were set aside. */
@NullMarked
package org.pgbaton.drain;

import org.jspecify.annotations.NullMarked;
