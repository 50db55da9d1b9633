/** What goes wrong in a world, and is put right again. */
@NullMarked
package org.pgbaton.chaos.fault;

import org.jspecify.annotations.NullMarked;
