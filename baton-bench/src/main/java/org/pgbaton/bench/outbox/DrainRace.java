package org.pgbaton.bench.outbox;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Check;
import org.pgbaton.bench.arena.Cost;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Race;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;
import org.pgbaton.bench.arena.Trace;

/** Contestants that take turns at draining, under names of the caller's choice; their rates, CPU times and checks. */
final class DrainRace {
    private final Arena arena;
    private final Finding into;
    private final Race race;
    private final Map<String, Contestant> contestants = new LinkedHashMap<>();
    private final Map<String, Check> checks = new HashMap<>();
    private final Map<String, Integer> unstable = new HashMap<>();

    DrainRace(Arena arena, Finding into) {
        this.arena = arena;
        this.into = into;
        this.race = new Race(arena, into);
    }

    /** One measurement. */
    interface Turn {
        Trace drain(Check check) throws Exception;
    }

    void add(String name, Contestant contestant, Turn turn) {
        Check check = new Check();
        contestants.put(name, contestant);
        checks.put(name, check);
        race.addWithCost(name, () -> {
            Trace trace = turn.drain(check);
            if (!trace.isStable()) {
                unstable.merge(name, 1, Integer::sum);
            }
            return trace.warm();
        });
    }

    void run(int rounds) throws InterruptedException {
        race.run(rounds);
    }

    Series rate(String name) {
        return race.of(name);
    }

    Check check(String name) {
        return checks.getOrDefault(name, new Check());
    }

    /** CPU time of PostgreSQL, relay and broker together, in microseconds for each message. */
    Series cpu(String name) {
        return race.batonOf(name)
                .plus(race.serverOf(name).orZero())
                .plus(race.brokerOf(name).orZero());
    }

    /** What reading and producing allow together. */
    Series bound(String reading, String producing) {
        return rate(reading).together(rate(producing));
    }

    static List<String> columns() {
        return List.of("messages/s", "of the bound", "CPU/message: relay", "PostgreSQL", "broker", "order per key");
    }

    /** The cells of {@link #columns}. */
    List<String> cells(String name, Series bound) {
        Contestant contestant = contestants.get(name);
        boolean isLimit = contestant == null
                || contestant.kind() == Contestant.Kind.LIMIT
                || contestant.kind() == Contestant.Kind.READING;
        Series rate = rate(name);
        into.number(name + ", messages/s", rate.median());
        into.number(name + ", relay µs", race.batonOf(name).median());
        into.number(name + ", PostgreSQL µs", race.serverOf(name).median());
        into.number(name + ", broker µs", race.brokerOf(name).median());
        return List.of(
                Shown.rate(rate.median()) + (unstable.containsKey(name) ? Trace.NOT_STABLE : ""),
                isLimit ? "" : rate.dividedBy(bound).shownAsRatio(),
                Cost.shown(race.batonOf(name).median()),
                contestant != null && contestant.outbox() == null && isLimit
                        ? "–"
                        : Cost.shown(race.serverOf(name).median()),
                contestant != null && contestant.kind() == Contestant.Kind.READING
                        ? "–"
                        : Cost.shown(race.brokerOf(name).median()),
                check(name).shown());
    }

    String backlog(String name) {
        Contestant contestant = contestants.get(name);
        return contestant == null ? "" : Shown.count(Draining.messages(arena, contestant));
    }

    /** Whether Baton's promises held. */
    void judgeOrder() {
        contestants.forEach((name, contestant) -> {
            if (contestant.kind() == Contestant.Kind.BATON) {
                check(name).judge(name, contestant.isExactlyOnce(), into);
            }
        });
    }
}
