package org.pgbaton.leadership;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.SchemaName;
import org.pgbaton.session.Lease;

/** What can be said about a leadership before bidding for it. Not API: see the methods of {@link Leadership}. */
public record LeadershipOptions(
        LeadershipKey key,
        Lease lease,
        Pace pace,
        @Nullable Duration shortest,
        @Nullable Duration longest) {

    public static LeadershipOptions of(SchemaName schema, String name) {
        return new LeadershipOptions(LeadershipKey.of(schema, name), Lease.DEFAULT, Pace.ANY, null, null);
    }

    LeadershipOptions with(Pace other) {
        return new LeadershipOptions(key, lease, other, shortest, longest);
    }

    Patience patience(@Nullable Duration atMost) {
        return new Patience(atMost, shortest, longest);
    }
}
