/** Properties of the application that describe things by name: {@code baton.relays.NAME.…} and the like. */
@NullMarked
package org.pgbaton.spring.property;

import org.jspecify.annotations.NullMarked;
