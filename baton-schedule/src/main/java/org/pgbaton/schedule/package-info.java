/** Runs a duty at the times of a cron expression, in one process of many. Start at {@link org.pgbaton.schedule.Schedules}. */
@NullMarked
package org.pgbaton.schedule;

import org.jspecify.annotations.NullMarked;
