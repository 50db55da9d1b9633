package org.pgbaton.chaos.verdict;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.verdict.Violation.Invariant;
import org.pgbaton.chaos.worker.Part;

/** What has to hold whatever happened, found out from a {@link History} alone. Pure functions. */
public final class Invariants {
    /** What is not struck stands still for less than that, on a slow machine too. */
    private static final long STANDSTILL_MILLIS = 5_000;

    /** So many examples of each. */
    private static final int SHOWN = 5;

    private final History history;
    private final Expected expected;
    private final List<Violation> found = new ArrayList<>();

    private Invariants(History history, Expected expected) {
        this.history = history;
        this.expected = expected;
    }

    public static List<Violation> check(History history, Expected expected) {
        Invariants invariants = new Invariants(history, expected);
        expected.projections().forEach(invariants::projection);
        expected.targets().forEach(invariants::target);
        invariants.epochs();
        if (!expected.rewound()) {
            invariants.checkpoints();
        }
        invariants.captures();
        invariants.adoption();
        if (expected.inTime()) {
            invariants.add(Invariant.I6, LateTakeovers.in(history));
            invariants.add(Invariant.I6, LateTakeovers.withoutProgress(history));
            invariants.captureIsTakenOver();
        }
        invariants.witnesses();
        expected.undisturbed().forEach(invariants::goesOn);
        invariants.claims();
        invariants.add(Invariant.I9, history.leftBehind());
        if (history.calmAfter() == null) {
            invariants.add(Invariant.I10, List.of("something was left to do when the time was over"));
        }
        invariants.tasks();
        return invariants.found;
    }

    /** What an operator wanted beside the fault has to be done in the end. */
    private void tasks() {
        add(
                Invariant.I10,
                history.faults().stream()
                        .map(History.Event::what)
                        .filter(what -> what.startsWith(History.COULD_NOT))
                        .toList());
    }

    private void projection(String name, boolean total) {
        List<History.Effect> effects = history.effects().stream()
                .filter(effect -> effect.subscription().equals(name))
                .toList();
        Map<Long, String> written = new TreeMap<>();
        history.written().forEach(row -> written.put(row.position(), row.key()));
        Set<Long> done = new HashSet<>();
        Map<String, Long> latest = new HashMap<>();
        List<String> twice = new ArrayList<>();
        List<String> invented = new ArrayList<>();
        List<String> overtaken = new ArrayList<>();
        for (History.Effect effect : effects) {
            if (!effect.key().equals(written.get(effect.position()))) {
                invented.add(
                        name + ": position " + effect.position() + " of key " + effect.key() + " is not in the log");
            } else if (!done.add(effect.position())) {
                twice.add(name + ": position " + effect.position() + " of key " + effect.key());
            }
            Long before = latest.merge(total ? "" : effect.key(), effect.position(), Math::max);
            if (before > effect.position()) {
                overtaken.add(
                        name + ": position " + effect.position() + " of key " + effect.key() + " after " + before);
            }
        }
        List<String> lost = new ArrayList<>();
        List<String> although = new ArrayList<>();
        Set<Long> skipped = new Operations(history, name).skipped();
        written.forEach((position, key) -> {
            if (done.contains(position) && skipped.contains(position)) {
                although.add(name + ": position " + position + " of key " + key + " was skipped, and applied");
            } else if (!done.contains(position) && !skipped.contains(position)) {
                lost.add(name + ": position " + position + " of key " + key);
            }
        });
        add(Invariant.I1, name.equals(expected.retired()) ? List.of() : lost);
        add(Invariant.I2, twice);
        add(Invariant.I2, invented);
        add(Invariant.I2, although);
        add(Invariant.I3, overtaken);
    }

    private void target(String name, boolean exactlyOnce) {
        DeliveredMessages delivered = DeliveredMessages.judge(history, name);
        add(Invariant.I1, delivered.lost());
        add(Invariant.I7, delivered.strange());
        add(Invariant.I7, delivered.overtaken());
        boolean tooOften = !delivered.movedBack() && delivered.again().size() > expected.again();
        if (exactlyOnce || tooOften) {
            add(Invariant.I7, delivered.again());
        }
    }

    /** From the beginning of the fault to its end. */
    private void goesOn(String projection) {
        if (history.faults().isEmpty()) {
            return;
        }
        long latest = history.faults().get(0).millis();
        long end = history.faults().get(history.faults().size() - 1).millis();
        List<Long> times = new ArrayList<>();
        for (History.Effect effect : history.effects()) {
            if (effect.subscription().equals(projection) && !expected.failing().contains(effect.key())) {
                times.add(effect.millis());
            }
        }
        times.add(end);
        times.sort(null);
        for (long time : times) {
            if (time > latest && time <= end) {
                if (time - latest > STANDSTILL_MILLIS) {
                    add(
                            Invariant.I8,
                            List.of(projection + ": nothing was done for " + (time - latest) + " ms after " + latest
                                    + " ms"));
                }
                latest = time;
            }
        }
    }

    private void captureIsTakenOver() {
        if (!history.accounts().isEmpty()) {
            add(Invariant.I6, LateTakeovers.ofCapture(history, Part.CAPTURE.subscription()));
        }
    }

    /** Each change of an account made its version higher by one. */
    private void captures() {
        Map<String, Long> latest = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        for (History.Captured change : history.captured()) {
            long before = latest.getOrDefault(change.key(), 0L);
            if (change.version() != before + 1) {
                wrong.add("capture: version " + change.version() + " of " + change.key() + " after " + before);
            }
            latest.put(change.key(), change.version());
        }
        List<String> lost = new ArrayList<>();
        history.accounts().forEach((key, version) -> {
            if (latest.getOrDefault(key, 0L) < version) {
                lost.add("capture: " + key + " is at version " + version + ", and " + latest.getOrDefault(key, 0L)
                        + " is the last that was captured");
            }
        });
        add(Invariant.I1, lost);
        add(Invariant.I3, wrong);
    }

    /** Each row of an adopted table was handled once, by either relay, in the order of its key. */
    private void adoption() {
        AdoptedRows rows = AdoptedRows.judge(history.adoption());
        add(Invariant.I1, rows.lost());
        add(Invariant.I2, rows.twice());
        add(Invariant.I2, rows.invented());
        add(Invariant.I3, rows.overtaken());
    }

    /** Well while it cannot work, or troubled when all is well again: both would mislead. */
    private void claims() {
        List<String> wrong = new ArrayList<>();
        for (History.Claim claim : history.claims()) {
            if (claim.well() != claim.during().isEmpty()) {
                wrong.add(claim.worker() + " said after " + claim.millis() + " ms that it was "
                        + (claim.well()
                                ? "well, while " + claim.during()
                                : claim.health() + ", when all was well again"));
            }
        }
        add(Invariant.I11, wrong);
    }

    private void epochs() {
        List<String> late = new ArrayList<>();
        Map<Long, String> holders = new HashMap<>();
        long highest = 0;
        for (History.Guarded row : history.guarded()) {
            if (row.epoch() < highest) {
                late.add(row.who() + " wrote in epoch " + row.epoch() + " after epoch " + highest);
            }
            highest = Math.max(highest, row.epoch());
            String holder = holders.putIfAbsent(row.epoch(), row.who());
            if (holder != null && !holder.equals(row.who())) {
                late.add("epoch " + row.epoch() + " belonged to " + holder + " and to " + row.who());
            }
        }
        add(Invariant.I4, late);
    }

    private void witnesses() {
        Map<Invariant, List<String>> witnessed = new EnumMap<>(Invariant.class);
        for (History.Witnessed each : history.witnessed()) {
            witnessed
                    .computeIfAbsent(Invariant.valueOf(each.invariant()), none -> new ArrayList<>())
                    .add(each.what());
        }
        witnessed.forEach(this::add);
    }

    private void checkpoints() {
        Map<String, History.Sample> latest = new HashMap<>();
        Set<String> movedBack = Operations.movedBack(history);
        List<String> back = new ArrayList<>();
        for (History.Sample sample : history.samples()) {
            History.Sample before = latest.put(sample.subscription() + "/" + sample.lane(), sample);
            if (before != null
                    && !movedBack.contains(sample.subscription())
                    && (sample.position() < before.position() || sample.epoch() < before.epoch())) {
                back.add(sample.subscription() + ", lane " + sample.lane() + ": from position " + before.position()
                        + ", epoch " + before.epoch() + " to " + sample.position() + ", epoch " + sample.epoch());
            }
        }
        add(Invariant.I5, back);
    }

    private void add(Invariant invariant, List<String> cases) {
        if (!cases.isEmpty()) {
            String more = cases.size() > SHOWN ? "; and " + (cases.size() - SHOWN) + " more" : "";
            found.add(new Violation(
                    invariant, String.join("; ", cases.subList(0, Math.min(SHOWN, cases.size()))) + more));
        }
    }
}
