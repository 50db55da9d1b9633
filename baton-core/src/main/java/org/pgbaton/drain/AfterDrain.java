package org.pgbaton.drain;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.Call;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.AsideEntry;
import org.pgbaton.lane.PostponedKey;
import org.pgbaton.subscription.Verdict;

/**
 * The next step for a key that was drained.
 *
 * @param isRecovered nothing of it waits
 * @param isSlow a call of it took too long
 * @param pause until it is drained again
 * @param call that has not ended; it is waited for
 * @param failure what is to be recorded of the attempt; null if nothing is
 * @param outage if the whole target was away
 * @param most so many messages are handled together from now on; 0 for any number
 */
public record AfterDrain(
        boolean isRecovered,
        boolean isSlow,
        Duration pause,
        @Nullable Call call,
        @Nullable PostponedKey failure,
        @Nullable String outage,
        int most) {

    static AfterDrain recovered(boolean isSlow) {
        return new AfterDrain(true, isSlow, Duration.ZERO, null, null, null, 0);
    }

    public static AfterDrain again(Duration pause, int most) {
        return new AfterDrain(false, false, pause, null, null, null, most);
    }

    static AfterDrain calling(Call call) {
        return new AfterDrain(false, true, Duration.ZERO, call, null, null, 0);
    }

    /**
     * Several messages failed together. Next come those before the one at fault, or one at a time to find it. The attempts stay as they
     * are.
     */
    static AfterDrain apart(UnitFailed failed, String key, int attempts) {
        PostponedKey unchanged =
                new PostponedKey(key, AsideEntry.State.RETRYING, attempts, String.valueOf(failed.getMessage()), 0);
        return new AfterDrain(false, false, Duration.ZERO, null, unchanged, null, Math.max(1, failed.at()));
    }

    /** @param attempts before this one */
    public static AfterDrain failed(UnitFailed failed, String key, int attempts, SubscriptionOptions options) {
        boolean nothingWrong = failed.verdict() == Verdict.LATER || failed.verdict() == Verdict.PAUSE;
        boolean counts = !nothingWrong && failed.verdict() != Verdict.OUTAGE;
        int now = counts ? attempts + 1 : attempts;
        boolean forGood = failed.verdict() == Verdict.PARK || (counts && now >= options.attempts());
        Duration pause = nothingWrong ? failed.pause() : options.pauseAfter(counts ? now : 6);
        AsideEntry.State state =
                forGood ? AsideEntry.State.PARKED : nothingWrong ? AsideEntry.State.SLOW : AsideEntry.State.RETRYING;
        String error = nothingWrong ? null : String.valueOf(failed.getMessage());
        return new AfterDrain(
                false,
                false,
                pause,
                null,
                new PostponedKey(key, state, now, error, pause.toMillis()),
                failed.verdict() == Verdict.OUTAGE ? error : null,
                0);
    }
}
