package org.pgbaton.bench.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Peers;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Trace;

/** Measures what is left of at least once when the broker's acknowledgements take longer. */
final class AcknowledgementsPart implements Part {
    private static final Duration QUICK = Duration.ofNanos(200_000);
    private static final Duration SLOW = Duration.ofMillis(5);
    private static final List<Duration> TIMES = List.of(QUICK, SLOW, Duration.ofMillis(20));

    private final Peers peers;

    AcknowledgementsPart(Peers peers) {
        this.peers = peers;
    }

    @Override
    public String name() {
        return "acknowledgements";
    }

    @Override
    public String title() {
        return "Slow acknowledgements";
    }

    private static String name(Duration time) {
        String shown = time.equals(QUICK) ? "0.2" : Long.toString(time.toMillis());
        return Contestants.AT_LEAST_ONCE + ", answers take " + shown + " ms more";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Contestant contestant = Contestants.baton(Contestants.AT_LEAST_ONCE, 1);
        DrainRace race = new DrainRace(arena, into);
        try (SlowAnswers proxy = new SlowAnswers();
                Kafka kafka = Kafka.behind(proxy);
                Draining draining = new Draining(arena, peers, kafka)) {
            for (Duration time : TIMES) {
                race.add(name(time), contestant, check -> {
                    proxy.delay(time);
                    return draining.drain(contestant, check);
                });
            }
            draining.warmUp();
            race.run(arena.isQuick() ? 1 : arena.rounds());
        }
        into.say(
                "The same backlog and the same way to count as for draining, one process with its defaults, at least once. Between the "
                        + "relay and the broker stands a proxy that passes requests on at once, and every answer so much later; it limits "
                        + "nothing else, but its own work takes CPU time on the same cores, which is not counted. The consumer goes past it. "
                        + Trace.RULE + ", or after " + Draining.SECONDS + " s with what has arrived by then.");
        List<String> header = new ArrayList<>(List.of(""));
        header.addAll(DrainRace.columns());
        header.set(2, "of that with 0.2 ms");
        into.header(header.toArray(String[]::new));
        Series quickest = race.rate(name(QUICK));
        for (Duration time : TIMES) {
            List<String> row = new ArrayList<>(List.of(name(time)));
            row.addAll(race.cells(name(time), quickest));
            into.row(row.toArray(String[]::new));
        }
        into.atLeast(
                name(SLOW) + ", beside 0.2 ms",
                race.rate(name(SLOW)).dividedBy(quickest).median(),
                0.6);
        race.judgeOrder();
    }
}
