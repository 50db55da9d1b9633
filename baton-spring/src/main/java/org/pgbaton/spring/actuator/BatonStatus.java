package org.pgbaton.spring.actuator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.schedule.ScheduleStatus;
import org.pgbaton.schedule.Schedules;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;
import org.springframework.util.ClassUtils;

/** What {@code baton status --json} says, as maps. Asks the database. Thread-safe. */
public final class BatonStatus {
    private static final boolean HAS_SCHEDULES =
            ClassUtils.isPresent("org.pgbaton.schedule.Schedules", BatonStatus.class.getClassLoader());

    private final Baton baton;

    /** Of the database of this Baton. */
    public BatonStatus(Baton baton) {
        this.baton = baton;
    }

    /** All of it; the schedules only if {@code baton-schedule} is on the class path. */
    Map<String, Object> all() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put(
                "leaderships",
                baton.leaderStatus().stream().map(LeaderStatus::asMap).toList());
        if (HAS_SCHEDULES) {
            all.put("schedules", ScheduleRows.of(baton));
        }
        all.put("subscriptions", maps(baton.subscriptions().list()));
        return all;
    }

    /** The targets of one subscription, and its keys that wait; empty if there is no such subscription. */
    Map<String, Object> subscription(String name) {
        List<SubscriptionStatus> targets = baton.subscriptions().list().stream()
                .filter(each -> each.name().equals(name))
                .toList();
        if (targets.isEmpty()) {
            return Map.of();
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("subscriptions", maps(targets));
        answer.put(
                "parked",
                baton.subscriptions().parked(name).stream()
                        .map(BatonStatus::asMap)
                        .toList());
        return answer;
    }

    private static List<Map<String, @Nullable Object>> maps(List<SubscriptionStatus> statuses) {
        return statuses.stream().map(SubscriptionStatus::asMap).toList();
    }

    private static Map<String, @Nullable Object> asMap(ParkedKey parked) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("target", parked.target());
        map.put("key", parked.key());
        map.put("state", parked.state().word());
        map.put("attempts", parked.attempts());
        map.put("error", parked.error());
        map.put("since", parked.since());
        map.put("nextAttemptAt", parked.nextAttemptAt());
        map.put("position", parked.head());
        map.put("waiting", parked.waiting());
        return map;
    }

    /** Apart, so that its class is not needed where {@code baton-schedule} is not there. */
    private static final class ScheduleRows {
        static List<Map<String, @Nullable Object>> of(Baton baton) {
            return Schedules.of(baton).status().stream()
                    .map(ScheduleStatus::asMap)
                    .toList();
        }
    }
}
