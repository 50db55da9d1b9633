/** Baton's metrics. Start at {@link org.pgbaton.micrometer.BatonMetrics}. */
@NullMarked
package org.pgbaton.micrometer;

import org.jspecify.annotations.NullMarked;
