package org.pgbaton.bench.outbox;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Check;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Peers;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Trace;

/** Measures draining while somebody else keeps a core busy, beside the same on a quiet machine. */
final class BusyPart implements Part {
    private static final String BUSY = "; a core busy";
    private static final double AIM = 0.7;

    private final Peers peers;

    BusyPart(Peers peers) {
        this.peers = peers;
    }

    @Override
    public String name() {
        return "busy";
    }

    @Override
    public String title() {
        return "With a core kept busy";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        List<Contestant> contestants = contestants(arena.isQuick());
        DrainRace race = new DrainRace(arena, into);
        try (Kafka kafka = Kafka.start();
                Draining draining = new Draining(arena, peers, kafka)) {
            for (Contestant contestant : contestants) {
                race.add(contestant.name(), contestant, check -> draining.drain(contestant, check));
                race.add(contestant.name() + BUSY, contestant, check -> besideSpinning(draining, contestant, check));
            }
            draining.warmUp();
            race.run(1);
        }
        into.say(
                "The same backlog, the same contestants with their defaults and the same way to count as for draining, once quiet and "
                        + "once while a thread of another process spins, which may run on any core and has the same priority as everybody. One "
                        + "round. " + Trace.RULE + ".");
        into.say(
                DrainPart.boundSaid(
                        "With a core kept busy it is made of what these two do beside the same thread. What is judged is "
                                + "the ratio to that bound, and that of three processes to one, divided by the same ratio on the quiet machine."));
        List<String> header = new ArrayList<>(List.of(""));
        header.addAll(DrainRace.columns());
        into.header(header.toArray(String[]::new));
        for (Contestant contestant : contestants) {
            for (String suffix : new String[] {"", BUSY}) {
                String name = contestant.name() + suffix;
                List<String> row = new ArrayList<>(List.of(name));
                row.addAll(race.cells(name, bound(race, suffix)));
                into.row(row.toArray(String[]::new));
            }
        }
        judge(into, contestants, race);
    }

    private static List<Contestant> contestants(boolean quick) {
        List<Contestant> chosen =
                new ArrayList<>(List.of(Contestants.named(Contestants.LIMIT), Contestants.named(Contestants.READING)));
        for (String mode : Contestants.MODES) {
            chosen.add(Contestants.baton(mode, 1));
            if (!quick) {
                chosen.add(Contestants.baton(mode, 3));
            }
        }
        return chosen;
    }

    private static Series bound(DrainRace race, String suffix) {
        return race.bound(Contestants.READING + suffix, Contestants.LIMIT + suffix);
    }

    private static void judge(Finding into, List<Contestant> contestants, DrainRace race) {
        for (Contestant contestant : contestants) {
            if (contestant.kind() == Contestant.Kind.BATON) {
                String name = contestant.name();
                Series quiet = race.rate(name).dividedBy(bound(race, ""));
                Series busy = race.rate(name + BUSY).dividedBy(bound(race, BUSY));
                into.atLeast(
                        name + ", beside the bound, busy divided by quiet",
                        busy.dividedBy(quiet).median(),
                        AIM);
            }
            if (contestant.processes() > 1) {
                String three = contestant.name();
                String one = Contestants.inProcesses(
                        contestant.isExactlyOnce() ? Contestants.EXACTLY_ONCE : Contestants.AT_LEAST_ONCE, 1);
                Series quiet = race.rate(three).dividedBy(race.rate(one));
                Series busy = race.rate(three + BUSY).dividedBy(race.rate(one + BUSY));
                into.atLeast(
                        three + ", beside 1 process, busy divided by quiet",
                        busy.dividedBy(quiet).median(),
                        AIM);
            }
        }
        race.judgeOrder();
    }

    /** The thread spins in this process, which has nothing else to do meanwhile. */
    private static Trace besideSpinning(Draining draining, Contestant contestant, Check check) throws Exception {
        Thread spinning = new Thread(
                () -> {
                    while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                },
                "spinning");
        spinning.setDaemon(true);
        spinning.start();
        try {
            return draining.drain(contestant, check);
        } finally {
            spinning.interrupt();
            spinning.join();
        }
    }
}
