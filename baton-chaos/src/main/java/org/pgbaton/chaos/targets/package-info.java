/** Where relays of a round send to: real brokers and endpoints, to be disturbed. */
@NullMarked
package org.pgbaton.chaos.targets;

import org.jspecify.annotations.NullMarked;
