/** Typed messages as JSON, by Jackson 2. */
@NullMarked
package org.pgbaton.jackson2;

import org.jspecify.annotations.NullMarked;
