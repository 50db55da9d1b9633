package org.pgbaton.subscription;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as the whole database sees it; one row of the view {@code subscription_status}.
 *
 * @param live whether this target is the one that counts; false while it is being rebuilt beside, or was replaced
 * @param state {@code new}, {@code running}, {@code paused}, {@code stopped} or {@code retired}
 * @param lanesOwned how many lanes have an owner
 * @param members who is alive
 * @param position everything up to here has been processed, in every lane
 * @param lagPositions positions from there to the end of the log; 0 if nothing waits
 * @param lag how long the oldest waiting message has waited; zero if nothing waits
 * @param setAsideKeys keys that go on by themselves: slow, or between two attempts
 * @param heldBackBy open transactions that wrote to the log, for which a lane waits
 */
public record SubscriptionStatus(
        String name,
        String target,
        boolean live,
        String log,
        String order,
        String state,
        @Nullable String note,
        int lanes,
        int lanesOwned,
        List<String> members,
        long position,
        long lagPositions,
        Duration lag,
        int parkedKeys,
        int setAsideKeys,
        @Nullable String heldBackBy,
        long epoch,
        Instant createdAt) {}
