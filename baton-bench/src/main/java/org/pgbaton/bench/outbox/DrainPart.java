package org.pgbaton.bench.outbox;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Peers;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;
import org.pgbaton.bench.arena.Trace;

/** Measures how quickly a backlog gets to Kafka, and with how much CPU time, beside what the machine allows and beside peers. */
final class DrainPart implements Part {
    private final Peers peers;

    DrainPart(Peers peers) {
        this.peers = peers;
    }

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public String title() {
        return "Draining a backlog";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        List<Contestant> contestants = Contestants.ofDrain(arena.isQuick());
        peers.buildWhatIsMissing(Contestants.modules(contestants));
        DrainRace race = new DrainRace(arena, into);
        DrainRace polling = new DrainRace(arena, into);
        try (Kafka kafka = Kafka.start();
                Draining draining = new Draining(arena, peers, kafka)) {
            for (Contestant contestant : contestants) {
                (contestant.isPolling() ? polling : race)
                        .add(contestant.name(), contestant, check -> draining.drain(contestant, check));
            }
            draining.warmUp();
            race.run(arena.isQuick() ? 1 : arena.rounds());
            polling.run(1);
        }
        report(into, contestants, race, polling);
        judge(into, contestants, race, polling);
    }

    private static void report(Finding into, List<Contestant> contestants, DrainRace race, DrainRace polling) {
        into.say("A backlog over " + Messages.KEYS + " portfolios, payload " + Messages.PAYLOAD_BYTES
                + " bytes, to a topic of " + Kafka.PARTITIONS
                + " partitions. Messages per second that a consumer with `read_committed` sees, everybody warm. "
                + Trace.RULE
                + ". The broker and the consumer are warm before the first round. All take turns; outboxes that poll have one round, "
                + "because they are slower by far, and a smaller backlog. CPU time for each message, over the same "
                + "stretch: of all processes of the contestant, of PostgreSQL with all its processes, and of the broker, which also "
                + "serves the consumer. *Order*: what that consumer found compared with what was written, in all rounds. Ratios round by "
                + "round: median (range).");
        into.say(boundSaid("Both with their defaults, as Baton is unless it says *tuned*."));
        List<String> header = new ArrayList<>(List.of("", "settings", "backlog"));
        header.addAll(DrainRace.columns());
        into.header(header.toArray(String[]::new));
        Series bound = race.bound(Contestants.READING, Contestants.LIMIT);
        for (Contestant contestant : contestants) {
            String name = contestant.name();
            DrainRace own = contestant.isPolling() ? polling : race;
            List<String> row = new ArrayList<>(List.of(name, contestant.settings(), own.backlog(name)));
            row.addAll(own.cells(name, bound));
            into.row(row.toArray(String[]::new));
            if (contestant.kind() == Contestant.Kind.READING) {
                boundRow(into, "**the bound**", "that handler and the bare producer", bound);
                if (contestants.stream().anyMatch(each -> each.name().equals(Contestants.TUNED_LIMIT))) {
                    boundRow(
                            into,
                            "the bound with the tuned producer",
                            "that handler and the tuned producer",
                            race.bound(Contestants.READING, Contestants.TUNED_LIMIT));
                }
            }
        }
        into.number("the bound, messages/s", bound.median());
    }

    private static void boundRow(Finding into, String name, String of, Series bound) {
        into.row(name, of, "", Shown.rate(bound.median()), name.startsWith("*") ? "1" : "", "", "", "", "");
    }

    /** What the bound is, for parts that use it. */
    static String boundSaid(String settings) {
        return "*The bound* is what these cores allow if one has to read and to produce on them: 1 / (1/r + 1/p), where r is the "
                + "rate of a subscription to the same outbox whose handler does nothing, and p that of a bare producer, both measured "
                + "in the same rounds. " + settings;
    }

    private static void judge(Finding into, List<Contestant> contestants, DrainRace race, DrainRace polling) {
        Series bound = race.bound(Contestants.READING, Contestants.LIMIT);
        Series debezium = null;
        double bestPolling = 0;
        for (Contestant contestant : contestants) {
            String name = contestant.name();
            if (contestant.kind() == Contestant.Kind.WAL) {
                debezium = debezium == null ? race.cpu(name) : debezium.orLess(race.cpu(name));
            } else if (contestant.kind() == Contestant.Kind.ORDERED_POLLING
                    && polling.check(name).isInOrder()) {
                bestPolling = Math.max(bestPolling, polling.rate(name).median());
            }
        }
        for (String mode : Contestants.MODES) {
            String one = Contestants.inProcesses(mode, 1);
            String three = Contestants.inProcesses(mode, 3);
            into.atLeast(
                    one + ", beside the bound", race.rate(one).dividedBy(bound).median(), 0.8);
            into.atLeast(
                    one + ", CPU time of all for each message, Debezium's (the cheaper one) divided by it",
                    debezium == null
                            ? Double.NaN
                            : debezium.dividedBy(race.cpu(one)).median(),
                    4);
            into.atLeast(
                    one + ", beside the best polling outbox that kept the order",
                    bestPolling == 0 ? Double.NaN : race.rate(one).median() / bestPolling,
                    10);
            into.atLeast(
                    three + ", beside 1 process",
                    race.rate(three).dividedBy(race.rate(one)).median(),
                    0.9);
            into.atMost(
                    three + ", CPU time of all for each message, beside 1 process",
                    race.cpu(three).dividedBy(race.cpu(one)).median(),
                    1.15);
        }
        race.judgeOrder();
    }
}
