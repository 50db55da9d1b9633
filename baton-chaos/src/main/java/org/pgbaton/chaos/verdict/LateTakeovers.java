package org.pgbaton.chaos.verdict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.worker.WorkerProgram;

/**
 * What nobody took over in time after a process was killed, or frozen or cut off for longer than the lease: lanes that it owned, and a
 * capture whose changes did not come any more. Pure functions.
 */
final class LateTakeovers {
    /** After a kill, on a slow machine too; after a freeze or a cut the lease is added. */
    private static final long IN_TIME_MILLIS = 4_000;

    /** After the lease: the takeover, and the first batch. */
    private static final long PROGRESS_MILLIS = 5_000;

    /** A lane that moved so often before has messages all the time; one without messages moves every few seconds. */
    private static final int BUSY_MOVES = 3;

    private static final Pattern STRUCK = Pattern.compile("(kill -9|SIGSTOP of|cut of) (worker-\\d+)");
    private static final Set<String> WOKEN = Set.of("SIGCONT", "mended");

    private LateTakeovers() {}

    static List<String> in(History history) {
        List<String> late = new ArrayList<>();
        for (History.Event event : history.faults()) {
            Matcher struck = STRUCK.matcher(event.what());
            if (struck.matches()) {
                boolean frozen = !struck.group(1).startsWith("kill");
                long deadline = event.millis() + IN_TIME_MILLIS + (frozen ? WorkerProgram.LEASE.toMillis() : 0);
                if (nextStrikeAfter(history, event.millis()) > deadline
                        && (!frozen || wokenAfter(history, event.millis()) > deadline)) {
                    late.addAll(lateUntil(deadline, history, event, struck.group(2)));
                }
            }
        }
        return late;
    }

    /**
     * Lanes with messages whose next owner did nothing for so long that whatever the former one left open was in its way.
     */
    static List<String> withoutProgress(History history) {
        List<String> still = new ArrayList<>();
        for (History.Event event : history.faults()) {
            Matcher struck = STRUCK.matcher(event.what());
            if (struck.matches() && !struck.group(1).startsWith("kill")) {
                long from = event.millis() + WorkerProgram.LEASE.toMillis();
                long end = Math.min(wokenAfter(history, event.millis()), nextStrikeAfter(history, event.millis()));
                if (end != Long.MAX_VALUE && end - from > PROGRESS_MILLIS) {
                    still.addAll(still(history, event, from + PROGRESS_MILLIS, struck.group(2)));
                }
            }
        }
        return still;
    }

    private static List<String> still(History history, History.Event event, long deadline, String victim) {
        Map<String, Integer> moves = new HashMap<>();
        Map<String, History.Sample> owned = new LinkedHashMap<>();
        Map<String, Long> last = new HashMap<>();
        for (History.Sample sample : history.samples()) {
            String lane = sample.subscription() + ", lane " + sample.lane();
            if (sample.millis() <= event.millis()) {
                History.Sample before = owned.put(lane, sample);
                moves.merge(lane, before != null && sample.position() > before.position() ? 1 : 0, Integer::sum);
            } else if (sample.millis() <= deadline) {
                last.put(lane, sample.position());
            }
        }
        return owned.entrySet().stream()
                .filter(lane -> victim.equals(lane.getValue().owner())
                        && moves.getOrDefault(lane.getKey(), 0) >= BUSY_MOVES
                        && last.getOrDefault(lane.getKey(), Long.MAX_VALUE)
                                <= lane.getValue().position())
                .map(lane -> lane.getKey() + ": nothing was done for " + (deadline - event.millis()) + " ms after '"
                        + event.what() + "'")
                .toList();
    }

    /**
     * A reader that is frozen still has the slot. Whoever takes over has to end it first.
     *
     * @param capture the projection of the capture's log, whose table changes all the time
     */
    static List<String> ofCapture(History history, String capture) {
        List<String> late = new ArrayList<>();
        long inTime = IN_TIME_MILLIS + WorkerProgram.LEASE.toMillis();
        for (History.Event event : history.faults()) {
            Matcher struck = STRUCK.matcher(event.what());
            if (struck.matches() && !struck.group(1).startsWith("kill")) {
                long end = Math.min(wokenAfter(history, event.millis()), nextStrikeAfter(history, event.millis()));
                long latest = event.millis();
                for (long time : times(history, capture, event.millis(), end)) {
                    if (time - latest > inTime) {
                        late.add(capture + ": no change came for " + (time - latest) + " ms after '" + event.what()
                                + "'");
                    }
                    latest = time;
                }
            }
        }
        return late;
    }

    /** When the projection did something, and the end. */
    private static List<Long> times(History history, String projection, long from, long end) {
        if (end == Long.MAX_VALUE) {
            return List.of();
        }
        return Stream.concat(
                        history.effects().stream()
                                .filter(effect -> effect.subscription().equals(projection))
                                .map(History.Effect::millis)
                                .filter(millis -> millis > from && millis < end),
                        Stream.of(end))
                .sorted()
                .toList();
    }

    private static long wokenAfter(History history, long millis) {
        return firstAfter(history, millis, WOKEN::contains);
    }

    /** The next strike may hit the process that is to take over. */
    private static long nextStrikeAfter(History history, long millis) {
        return firstAfter(history, millis, what -> what.startsWith(History.STRIKE));
    }

    private static long firstAfter(History history, long millis, Predicate<String> which) {
        return history.faults().stream()
                .filter(event -> event.millis() >= millis && which.test(event.what()))
                .mapToLong(History.Event::millis)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    private static List<String> lateUntil(long deadline, History history, History.Event event, String victim) {
        Map<String, History.Sample> lost = new LinkedHashMap<>();
        Map<String, History.Sample> last = new LinkedHashMap<>();
        for (History.Sample sample : history.samples()) {
            String lane = sample.subscription() + ", lane " + sample.lane();
            if (sample.millis() <= event.millis()) {
                if (victim.equals(sample.owner())) {
                    lost.put(lane, sample);
                } else {
                    lost.remove(lane);
                }
            } else if (sample.millis() <= deadline) {
                History.Sample before = lost.get(lane);
                if (before != null && isAnothers(sample, before)) {
                    lost.remove(lane);
                }
            } else {
                last.put(lane, sample);
            }
        }
        // A lane that was not looked at afterwards cannot be judged.
        return lost.keySet().stream()
                .filter(last::containsKey)
                .map(lane -> lane + ": nobody had taken it over from " + victim + " " + (deadline - event.millis())
                        + " ms after '" + event.what() + "'")
                .toList();
    }

    private static boolean isAnothers(History.Sample now, History.Sample before) {
        return now.owner() != null && (!now.owner().equals(before.owner()) || now.epoch() != before.epoch());
    }
}
