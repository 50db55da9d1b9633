/** What goes on in a world while a fault strikes: writers, the relay of old, and the operators that belong to a scenario. */
@NullMarked
package org.pgbaton.chaos.traffic;

import org.jspecify.annotations.NullMarked;
