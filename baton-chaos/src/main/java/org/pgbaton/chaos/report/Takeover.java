package org.pgbaton.chaos.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How long it took until somebody else owned what a process had owned that was killed, frozen or cut off: from the blow until the last of its lanes and
 * leaderships had another owner, or the same in a new epoch. What it still owned when it woke up or was connected again, it kept; that is no takeover.
 * Nor is it one if all are killed and one of them takes something over before its turn comes.
 */
public final class Takeover {
    private static final Pattern STRUCK = Pattern.compile("(kill -9|SIGSTOP|cut) (?:of )?(\\S+)");
    private static final Set<String> WOKEN = Set.of("SIGCONT", "mended");
    private static final String ALL = "all";

    private Takeover() {}

    /** @return null if nobody who owned something was struck, or if something found no owner until the end */
    public static @Nullable Long millis(List<RoundEntry.Event> events, TimeLine timeLine) {
        Long longest = null;
        for (RoundEntry.Event event : events) {
            Matcher struck = STRUCK.matcher(event.what());
            if (!struck.matches()) {
                continue;
            }
            List<List<TimeLine.Run>> lanes = lanes(timeLine);
            long dead = struck.group(2).equals(ALL) ? allDead(event.millis(), lanes) : event.millis();
            long until = struck.group(1).equals("kill -9") ? Long.MAX_VALUE : wokenAfter(event.millis(), events);
            for (List<TimeLine.Run> runs : lanes) {
                TimeLine.Run lost = ownedAt(event.millis(), runs);
                if (lost == null || !isVictim(lost.owner(), struck.group(2)) || lost.to() > until) {
                    continue;
                }
                TimeLine.Run next = next(lost, dead, runs);
                if (next == null) {
                    return null;
                }
                long taken = Math.max(0, next.from() - event.millis());
                longest = longest == null ? taken : Long.valueOf(Math.max(longest, taken));
            }
        }
        return longest;
    }

    private static long wokenAfter(long millis, List<RoundEntry.Event> events) {
        return events.stream()
                .filter(event -> event.millis() >= millis && WOKEN.contains(event.what()))
                .mapToLong(RoundEntry.Event::millis)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** When nobody owned anything. */
    private static long allDead(long struck, List<List<TimeLine.Run>> lanes) {
        return lanes.stream()
                .flatMap(List::stream)
                .mapToLong(TimeLine.Run::from)
                .filter(millis -> millis >= struck)
                .sorted()
                .filter(millis -> lanes.stream().allMatch(runs -> isFree(ownedAt(millis, runs))))
                .findFirst()
                .orElse(struck);
    }

    private static boolean isFree(TimeLine.@Nullable Run run) {
        return run == null || run.owner() == null;
    }

    private static List<List<TimeLine.Run>> lanes(TimeLine timeLine) {
        List<List<TimeLine.Run>> lanes = new ArrayList<>();
        for (TimeLine.Track track : timeLine.tracks()) {
            Map<Integer, List<TimeLine.Run>> byLane = new HashMap<>();
            track.runs()
                    .forEach(run -> byLane.computeIfAbsent(run.lane(), lane -> new ArrayList<>())
                            .add(run));
            lanes.addAll(byLane.values());
        }
        return lanes;
    }

    private static TimeLine.@Nullable Run ownedAt(long millis, List<TimeLine.Run> runs) {
        TimeLine.Run last = null;
        for (TimeLine.Run run : runs) {
            last = run.from() <= millis ? run : last;
        }
        return last;
    }

    private static boolean isVictim(@Nullable String owner, String victim) {
        return owner != null && (victim.equals(ALL) || owner.equals(victim));
    }

    private static TimeLine.@Nullable Run next(TimeLine.Run lost, long after, List<TimeLine.Run> runs) {
        return runs.stream()
                .filter(run -> run.from() > lost.from() && run.from() >= after && run.owner() != null)
                .filter(run -> !Objects.equals(run.owner(), lost.owner()) || run.epoch() != lost.epoch())
                .findFirst()
                .orElse(null);
    }
}
