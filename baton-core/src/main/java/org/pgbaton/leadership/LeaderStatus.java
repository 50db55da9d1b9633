package org.pgbaton.leadership;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        long key) {
    /** The names and values that {@code baton status --json} prints. */
    public Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("state", holder == null ? "vacant" : "led");
        map.put("holder", holder);
        map.put("epoch", epoch);
        map.put("since", since);
        map.put("standbys", standbys);
        map.put("previousHolder", previousHolder);
        map.put("takenOverAt", takenOverAt);
        map.put("vacantSeconds", vacantFor == null ? null : vacantFor.toNanos() / 1e9);
        map.put("changes", changes);
        map.put("key", Long.toString(key)); // a text, because JavaScript and jq would round the number
        return map;
    }
}
