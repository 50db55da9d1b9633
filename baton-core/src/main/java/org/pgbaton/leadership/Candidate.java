package org.pgbaton.leadership;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A long-lived candidate: stands by, leads, loses, stands by again, until it is closed.
 *
 * <p>While it leads it performs its duty on a thread of its own. A duty that returns leaves the candidate leading, so a duty
 * may also just start something; a duty that throws makes it step down, wait a little and stand by again. Outages of the
 * database are waited out, from the first connection on; {@link #health} shows them.
 *
 * <pre>{@code
 * Candidate candidate = baton.leadership("poller").campaign(term -> {
 *     while (term.isLeading()) {
 *         pollOnce(term);
 *     }
 * });
 * candidate.close(); // when the application ends
 * }</pre>
 *
 * <p>Thread-safe.
 */
public interface Candidate extends AutoCloseable {
    /** The name of the leadership. */
    String leadership();

    /** Where this process stands. */
    LeadershipState state();

    /** The present term, or null while standing by. */
    @Nullable
    Term term();

    /** How it is doing. Does not ask the database. */
    LeadershipHealth health();

    /**
     * Hands leadership over and stands by again; blocks until the lock is free. Drains the duty as {@link #close} does. Inside
     * the duty use {@link Term#stepDown}.
     */
    void stepDown();

    /** Ends the candidate, with up to a lease for the duty to return. */
    @Override
    void close();

    /** Ends the candidate; see {@link Term#close(Duration)} for what happens to the duty. Can be called twice. */
    void close(Duration drain);
}
