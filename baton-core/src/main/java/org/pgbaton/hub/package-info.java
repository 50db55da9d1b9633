/** The part of a process that watches frontier, doorbell and members. */
@NullMarked
package org.pgbaton.hub;

import org.jspecify.annotations.NullMarked;
