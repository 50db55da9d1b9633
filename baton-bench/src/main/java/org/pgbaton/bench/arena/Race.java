package org.pgbaton.bench.arena;

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

    /** One measurement, with its CPU time. */
    public interface CostTurn {
        Cost measure() throws Exception;
    }

    private static final int PATIENCE = 2;

    private final Arena arena;
    private final Finding finding;
    private final Map<String, CostTurn> turns = new LinkedHashMap<>();
    private final Map<String, Series> series = new LinkedHashMap<>();
    private final Map<String, Series> server = new LinkedHashMap<>();
    private final Map<String, Series> baton = new LinkedHashMap<>();
    private final Map<String, Series> broker = new LinkedHashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();

    public Race(Arena arena, Finding finding) {
        this.arena = arena;
        this.finding = finding;
    }

    public void add(String name, Turn turn) {
        addWithCost(name, () -> Cost.rate(turn.measure()));
    }

    public void addWithCost(String name, CostTurn turn) {
        turns.put(name, turn);
        series.put(name, new Series());
        server.put(name, new Series());
        baton.put(name, new Series());
        broker.put(name, new Series());
    }

    public void run(int rounds) throws InterruptedException {
        for (int round = 0; round < rounds; round++) {
            List<String> order = new ArrayList<>(turns.keySet());
            Collections.rotate(order, -round);
            for (String name : order) {
                Cost cost = turn(name, round, rounds);
                of(name).add(cost.perSecond());
                serverOf(name).add(cost.server());
                batonOf(name).add(cost.baton());
                brokerOf(name).add(cost.broker());
            }
        }
    }

    private Cost turn(String name, int round, int rounds) throws InterruptedException {
        CostTurn turn = turns.get(name);
        if (turn == null || failures.getOrDefault(name, 0) >= PATIENCE) {
            return Cost.NONE;
        }
        String where = name + ", round " + (round + 1) + " of " + rounds;
        try {
            Cost measured = turn.measure();
            arena.progress(where + ": " + Shown.rate(measured.perSecond()));
            return measured;
        } catch (InterruptedException end) {
            throw end;
        } catch (Exception failure) {
            if (failures.merge(name, 1, Integer::sum) == 1) {
                finding.failed(name, failure);
            }
            arena.progress(where + " FAILED: " + Shown.oneLine(failure));
            return Cost.NONE;
        }
    }

    public Series of(String name) {
        return known(series, name);
    }

    /** Its CPU time of PostgreSQL, in microseconds for each row. */
    public Series serverOf(String name) {
        return known(server, name);
    }

    /** Its CPU time of Baton's processes, in microseconds for each row. */
    public Series batonOf(String name) {
        return known(baton, name);
    }

    /** Its CPU time of Kafka's broker, in microseconds for each row. */
    public Series brokerOf(String name) {
        return known(broker, name);
    }

    private static Series known(Map<String, Series> all, String name) {
        Series found = all.get(name);
        if (found == null) {
            throw new IllegalArgumentException("no variant " + name);
        }
        return found;
    }
}
