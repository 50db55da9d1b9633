/** Publisher beans with {@code @BatonRelay}: relays in this process. */
@NullMarked
package org.pgbaton.spring.relay;

import org.jspecify.annotations.NullMarked;
