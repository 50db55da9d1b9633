package org.pgbaton.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Variants that take turns, each round in another order, so that a noisy minute hits all of them. A variant that fails
 * twice is out; the others go on.
 */
public final class Race {
    /** One measurement. The part decides whether more or less is better. */
    public interface Turn {
        double measure() throws Exception;
    }

    private static final int PATIENCE = 2;

    private final Arena arena;
    private final Finding finding;
    private final Map<String, Turn> turns = new LinkedHashMap<>();
    private final Map<String, Series> series = new LinkedHashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();

    public Race(Arena arena, Finding finding) {
        this.arena = arena;
        this.finding = finding;
    }

    public void add(String name, Turn turn) {
        turns.put(name, turn);
        series.put(name, new Series());
    }

    public void run(int rounds) throws InterruptedException {
        for (int round = 0; round < rounds; round++) {
            List<String> order = new ArrayList<>(turns.keySet());
            Collections.rotate(order, -round);
            for (String name : order) {
                of(name).add(turn(name, round, rounds));
            }
        }
    }

    private double turn(String name, int round, int rounds) throws InterruptedException {
        Turn turn = turns.get(name);
        if (turn == null || failures.getOrDefault(name, 0) >= PATIENCE) {
            return Double.NaN;
        }
        String where = name + ", round " + (round + 1) + " of " + rounds;
        try {
            double measured = turn.measure();
            arena.progress(where + ": " + Shown.rate(measured));
            return measured;
        } catch (InterruptedException end) {
            throw end;
        } catch (Exception failure) {
            if (failures.merge(name, 1, Integer::sum) == 1) {
                finding.failed(name, failure);
            }
            arena.progress(where + " FAILED: " + Shown.oneLine(failure));
            return Double.NaN;
        }
    }

    public Series of(String name) {
        Series found = series.get(name);
        if (found == null) {
            throw new IllegalArgumentException("no variant " + name);
        }
        return found;
    }
}
