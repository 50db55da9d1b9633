package org.pgbaton.campaign;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.SchemaName;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.session.Lease;

/** The options of a leadership; {@link Leadership} has a method for each. */
public record LeadershipOptions(
        LeadershipKey key,
        Lease lease,
        RunPace pace,
        @Nullable Duration shortest,
        @Nullable Duration longest) {

    public static LeadershipOptions of(SchemaName schema, String name) {
        return new LeadershipOptions(LeadershipKey.of(schema, name), Lease.DEFAULT, RunPace.ANY, null, null);
    }

    LeadershipOptions with(RunPace other) {
        return new LeadershipOptions(key, lease, other, shortest, longest);
    }

    Patience patience(@Nullable Duration atMost) {
        return new Patience(atMost, shortest, longest);
    }
}
