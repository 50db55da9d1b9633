package org.pgbaton.subscription;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A key to set aside. */
record Aside(Lane lane, String key, State state, @Nullable String error, long waitMillis) {

    /** As it stands in the table, in small letters. */
    enum State {
        /** Goes on by itself, as soon as its call ends, or when it wanted to be called again. */
        SLOW,
        /** Goes on by itself, after a pause. */
        RETRYING,
        /** Waits for an operator. */
        PARKED;

        String stored() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State of(String stored) {
            return valueOf(stored.toUpperCase(Locale.ROOT));
        }
    }

    /** It did not fail: others need not wait for it, that is all. */
    static Aside slow(Lane lane, String key) {
        return new Aside(lane, key, State.SLOW, null, 0);
    }

    /** The first attempt has failed. */
    static Aside failed(Lane lane, String key, Suspect why, Options options) {
        if (why.verdict() == Verdict.LATER) {
            return new Aside(lane, key, State.SLOW, null, why.pause().toMillis());
        }
        boolean forGood = why.verdict() == Verdict.PARK || options.attempts() <= 1;
        long pause = options.pauseAfter(1).toMillis();
        return new Aside(lane, key, forGood ? State.PARKED : State.RETRYING, why.error(), pause);
    }

    boolean isForGood() {
        return state == State.PARKED;
    }

    int attempts() {
        return state == State.SLOW ? 0 : 1;
    }
}
