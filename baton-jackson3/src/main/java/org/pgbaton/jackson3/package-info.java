/** Typed messages as JSON, by Jackson 3. */
@NullMarked
package org.pgbaton.jackson3;

import org.jspecify.annotations.NullMarked;
