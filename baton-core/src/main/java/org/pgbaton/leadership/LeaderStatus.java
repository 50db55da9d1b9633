package org.pgbaton.leadership;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One leadership as the whole database sees it: a row of the view {@code leader_status}.
 *
 * @param holder who leads, or null if nobody does
 * @param since since when; null if nobody does, or a program that is not Baton
 * @param standbys the application names of those who wait
 * @param takenOverAt when the present or last term began
 * @param vacantFor how long nobody led before that, if the one before left in good order
 * @param changes how often the leader changed
 */
public record LeaderStatus(
        String name,
        @Nullable String holder,
        long epoch,
        @Nullable Instant since,
        List<String> standbys,
        @Nullable String previousHolder,
        @Nullable Instant takenOverAt,
        @Nullable Duration vacantFor,
        long changes,
        long key) {}
