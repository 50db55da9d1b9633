package org.pgbaton.subscription;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What comes next for a key that was drained.
 *
 * @param isRecovered nothing of it waits
 * @param isSlow a call of it took too long
 * @param pause until it is drained again
 * @param call that has not ended; it is waited for
 * @param failure what is to be recorded of the attempt; null if nothing is
 * @param outage if the whole target was away
 * @param most so many messages are handled together from now on; 0 for any number
 */
record Next(
        boolean isRecovered,
        boolean isSlow,
        Duration pause,
        @Nullable Call call,
        WorkSql.@Nullable Postponed failure,
        @Nullable String outage,
        int most) {

    static Next recovered(boolean isSlow) {
        return new Next(true, isSlow, Duration.ZERO, null, null, null, 0);
    }

    static Next again(Duration pause, int most) {
        return new Next(false, false, pause, null, null, null, most);
    }

    static Next calling(Call call) {
        return new Next(false, true, Duration.ZERO, call, null, null, 0);
    }

    /** Several failed together: those before the one that is the trouble, or one by one to find it. No attempt more, none forgotten. */
    static Next apart(UnitFailed failed, String key, int attempts) {
        WorkSql.Postponed unchanged =
                new WorkSql.Postponed(key, Aside.State.RETRYING, attempts, String.valueOf(failed.getMessage()), 0);
        return new Next(false, false, Duration.ZERO, null, unchanged, null, Math.max(1, failed.at()));
    }

    /** @param attempts before this one */
    static Next failed(UnitFailed failed, String key, int attempts, Options options) {
        boolean nothingWrong = failed.verdict == Verdict.LATER || failed.verdict == Verdict.PAUSE;
        boolean counts = !nothingWrong && failed.verdict != Verdict.OUTAGE;
        int now = counts ? attempts + 1 : attempts;
        boolean forGood = failed.verdict == Verdict.PARK || (counts && now >= options.attempts());
        Duration pause = nothingWrong ? failed.pause() : options.pauseAfter(counts ? now : 6);
        Aside.State state = forGood ? Aside.State.PARKED : nothingWrong ? Aside.State.SLOW : Aside.State.RETRYING;
        String error = nothingWrong ? null : String.valueOf(failed.getMessage());
        return new Next(
                false,
                false,
                pause,
                null,
                new WorkSql.Postponed(key, state, now, error, pause.toMillis()),
                failed.verdict == Verdict.OUTAGE ? error : null,
                0);
    }
}
