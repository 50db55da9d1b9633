/** Lanes that this process owns: taking them with their locks, how far they are, and their keys that are set aside. */
@NullMarked
package org.pgbaton.lane;

import org.jspecify.annotations.NullMarked;
