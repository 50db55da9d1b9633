package org.pgbaton.lane;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.Suspect;
import org.pgbaton.session.LogFields;
import org.pgbaton.subscription.Verdict;

/**
 * A key to set aside.
 *
 * @param failed the position of the message that has failed; null if none has
 */
public record AsideEntry(
        Lane lane,
        String key,
        State state,
        @Nullable String error,
        long waitMillis,
        @Nullable Long failed) {

    /** As it stands in the table, in small letters. */
    public enum State {
        /** Goes on by itself, as soon as its call ends, or when it wanted to be called again. */
        SLOW,
        /** Goes on by itself, after a pause. */
        RETRYING,
        /** Waits for an operator. */
        PARKED;

        public String stored() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State of(String stored) {
            return valueOf(stored.toUpperCase(Locale.ROOT));
        }
    }

    /** The key did not fail; it is set aside so that others need not wait for it. */
    public static AsideEntry slow(Lane lane, String key) {
        return new AsideEntry(lane, key, State.SLOW, null, 0, null);
    }

    /** The first attempt has failed. */
    public static AsideEntry failed(Lane lane, String key, Suspect why, SubscriptionOptions options) {
        if (why.verdict() == Verdict.LATER) {
            return new AsideEntry(lane, key, State.SLOW, null, why.pause().toMillis(), null);
        }
        boolean forGood = why.verdict() == Verdict.PARK || options.attempts() <= 1;
        long pause = options.pauseAfter(1).toMillis();
        return new AsideEntry(lane, key, forGood ? State.PARKED : State.RETRYING, why.error(), pause, why.position());
    }

    /** For the log: the key, with everything that is known of it. */
    public LogFields inLog() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("lane", lane.group());
        fields.put("key", key);
        if (failed != null) {
            fields.put("position", failed);
        }
        fields.put("epoch", lane.tenure().epoch());
        return LogFields.several(key, fields);
    }

    public boolean isParked() {
        return state == State.PARKED;
    }

    public int attempts() {
        return state == State.SLOW ? 0 : 1;
    }
}
