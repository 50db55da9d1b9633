package org.pgbaton.server.parked;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.ParkedKey;

/** Keys that wait, as a table for people and as JSON for programs. */
final class ParkedOutput {
    private static final List<String> HEAD =
            List.of("SUBSCRIPTION", "KEY", "STATE", "BLOCKED BY", "WAITING", "ATTEMPTS", "SINCE", "NEXT TRY", "ERROR");

    private ParkedOutput() {}

    static String table(List<ParkedKey> keys) {
        Instant now = Instant.now();
        return Output.table(HEAD, keys.stream().map(key -> row(key, now)).toList());
    }

    private static List<String> row(ParkedKey key, Instant now) {
        return List.of(
                key.subscription() + (key.target().isEmpty() ? "" : " (" + key.target() + ")"),
                Output.shortened(key.key(), 40),
                key.state().word(),
                key.head() == 0 ? "-" : Long.toString(key.head()),
                Output.number(key.waiting()),
                Integer.toString(key.attempts()),
                Durations.ago(key.since(), now),
                nextTry(key, now),
                key.error() == null ? "" : Output.shortened(key.error(), 80));
    }

    static String nextTry(ParkedKey key, Instant now) {
        if (key.state() == ParkedKey.State.PARKED) {
            return "never";
        }
        return key.nextAttemptAt().isAfter(now)
                ? "in " + Durations.shown(java.time.Duration.between(now, key.nextAttemptAt()))
                : "now";
    }

    static Map<String, @Nullable Object> asMap(ParkedKey key) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("subscription", key.subscription());
        map.put("target", key.target());
        map.put("key", key.key());
        map.put("state", key.state().word());
        map.put("head", key.head());
        map.put("waiting", key.waiting());
        map.put("attempts", key.attempts());
        map.put("since", key.since());
        map.put("nextAttemptAt", key.state() == ParkedKey.State.PARKED ? null : key.nextAttemptAt());
        map.put("error", key.error());
        return map;
    }
}
