/** One round: traffic, the attack in the midst of it, and the verdict when everything has come to its end. */
@NullMarked
package org.pgbaton.chaos.round;

import org.jspecify.annotations.NullMarked;
