package org.pgbaton.schedule;

import java.time.Duration;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.LeadershipHealth;

/** A schedule is a candidate whose duty is to run what is due. */
record CandidateSchedule(Candidate candidate) implements Schedule {
    @Override
    public String name() {
        return candidate.leadership();
    }

    @Override
    public LeadershipHealth health() {
        return candidate.health();
    }

    @Override
    public void close() {
        candidate.close();
    }

    @Override
    public void close(Duration drain) {
        candidate.close(drain);
    }
}
