package org.pgbaton.server.demo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** What was measured after each kill of a leader, what broke a promise, and the verdict on both. Thread-safe. */
final class Takeovers {
    private static final double SLOW_MILLIS = 5000;

    private final List<Double> leaders = new ArrayList<>();
    private final List<Double> lanes = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private long epoch;

    /** Another worker leads. Its epoch must be higher than any before. */
    synchronized void leads(long itsEpoch) {
        if (itsEpoch <= epoch) {
            violations.add("epoch " + itsEpoch + " came after epoch " + epoch);
        }
        epoch = itsEpoch;
    }

    /** How long a round took until another one led, and until all lanes had another owner. */
    synchronized void took(int round, double leaderMillis, double laneMillis) {
        leaders.add(leaderMillis);
        lanes.add(laneMillis);
        double worse = Math.max(leaderMillis, laneMillis);
        if (worse > SLOW_MILLIS) {
            violations.add("round " + round + " took " + Math.round(worse) + " ms");
        }
    }

    synchronized void violation(String what) {
        violations.add(what);
    }

    synchronized void violations(List<String> all) {
        violations.addAll(all);
    }

    synchronized long epoch() {
        return epoch;
    }

    synchronized boolean areGood() {
        return violations.isEmpty();
    }

    /** For somebody who looks while it goes on. */
    synchronized String soFar() {
        return leaders.isEmpty()
                ? "no leader was killed yet"
                : String.format(
                        Locale.ROOT,
                        "%s killed: median %.0f ms, worst %.0f ms",
                        count(leaders.size(), "leader"),
                        median(leaders),
                        Collections.max(leaders));
    }

    /** The last line of the demo. */
    synchronized String verdict(long alerts) {
        String wrong = String.join("; ", violations) + ".";
        if (leaders.isEmpty()) {
            return violations.isEmpty() ? "No verdict: no leader was killed." : "FAILED: " + wrong;
        }
        return String.format(
                Locale.ROOT,
                "%s: %s killed, takeover median %.1f ms, worst %.1f ms; lanes median %.1f ms, worst %.1f ms; the epoch grew to %d; %,d alerts; %s",
                violations.isEmpty() ? "OK" : "FAILED",
                count(leaders.size(), "leader"),
                median(leaders),
                Collections.max(leaders),
                median(lanes),
                Collections.max(lanes),
                epoch,
                alerts,
                violations.isEmpty() ? "nothing lost, never two leaders." : wrong);
    }

    private static double median(List<Double> millis) {
        return millis.stream().sorted().toList().get(millis.size() / 2);
    }

    static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
