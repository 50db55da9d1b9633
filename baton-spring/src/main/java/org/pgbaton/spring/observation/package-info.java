/** Observations of appends and listeners, for metrics and traces. */
@NullMarked
package org.pgbaton.spring.observation;

import org.jspecify.annotations.NullMarked;
