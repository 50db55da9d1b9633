package org.pgbaton.schedule;

import java.time.Instant;
import org.pgbaton.leadership.Term;

/**
 * What is done when it is due. It should return soon after {@link Term#isLeading} says no; its thread is interrupted when the term is
 * lost. Writes to a database belong under {@link Term#guard}.
 */
@FunctionalInterface
public interface ScheduledDuty {
    /**
     * Does what was due at that time.
     *
     * @throws Exception if it failed; that is recorded, and the schedule goes on with the next due time
     */
    void perform(Term term, Instant due) throws Exception;
}
