package org.pgbaton.schedule;

import java.time.Duration;
import org.pgbaton.leadership.LeadershipHealth;

/** A schedule in which this process takes part: it stands by, or it runs what is due. Thread-safe. */
public interface Schedule extends AutoCloseable {
    /** The name, which is also the name of the leadership. */
    String name();

    /** How this process's part is doing. Does not ask the database. */
    LeadershipHealth health();

    /** Ends this process's part, with up to a lease for a run to end; another process goes on with the next due time. */
    @Override
    void close();

    /**
     * Ends this process's part. A run gets the given time to end; then its thread is interrupted. Can be called twice.
     */
    void close(Duration drain);
}
