package org.pgbaton.bench.log;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Cost;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Race;
import org.pgbaton.bench.arena.Rows;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;
import org.pgbaton.bench.arena.WarmUp;

/** Measures several processes and several workers. */
final class MembersPart implements Part {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int WORKERS = 4;

    private record Variant(int members, int workers, Membership.Work work) {
        @Override
        public String toString() {
            return members
                    + (members == 1 ? " member, " : " members, ")
                    + workers
                    + (workers == 1 ? " worker" : " workers")
                    + (work == Membership.Work.SLEEP ? ", 1 ms" : ", no-op");
        }
    }

    @Override
    public String name() {
        return "members";
    }

    @Override
    public String title() {
        return "Members and workers";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        int[] members = arena.isQuick() ? new int[] {1, 2} : new int[] {1, 2, 4};
        int[] workers = arena.isQuick() ? new int[] {1, WORKERS} : new int[] {1, WORKERS, 8};
        long rows = arena.sized(1_000_000, 100_000);
        Race race = new Race(arena, into);
        List<Variant> variants = new ArrayList<>();
        try (Place place = arena.place()) {
            Rows.fill(arena, place, rows);
            for (int member : members) {
                for (Membership.Work work : new Membership.Work[] {Membership.Work.SLEEP, Membership.Work.NOTHING}) {
                    for (int worker : workers) {
                        Variant variant = new Variant(member, worker, work);
                        variants.add(variant);
                        race.addWithCost(variant.toString(), () -> run(arena, place, variant, rows));
                    }
                }
            }
            Variant all = new Variant(members[members.length - 1], WORKERS, Membership.Work.NOTHING);
            WarmUp.untilStable(
                    arena, "the members", () -> run(arena, place, all, rows).perSecond());
            race.run(arena.rounds());
        }
        into.say("Messages per second of all members together, each in its own JVM, that work off " + Shown.count(rows)
                + " rows from the beginning, which an operator lets them do at the same moment: with a handler that does nothing, and "
                + "(for 2 s) with one that waits for 1 ms at every message. All sizes are the defaults. The JVMs are warmed up before "
                + "the rounds, all together, " + WarmUp.RULE
                + "; the variants take turns. Beside the rates, the CPU time for each message of PostgreSQL and of all members "
                + "together, which includes waking up and the looks of everybody.");
        into.header(
                "", "messages/s", "of one member", "CPU/message, PostgreSQL", "CPU/message, members", "of one member");
        for (Variant variant : variants) {
            row(into, race, variant);
        }
        for (int member : members) {
            if (member > 1) {
                Variant variant = new Variant(member, WORKERS, Membership.Work.NOTHING);
                into.atLeast(
                        variant + ", beside one",
                        rates(race, variant)
                                .dividedBy(rates(race, one(variant)))
                                .median(),
                        0.9);
                into.atMost(
                        variant + ", CPU per message beside one",
                        cpu(race, variant).dividedBy(cpu(race, one(variant))).median(),
                        1.15);
            }
        }
    }

    private static Variant one(Variant variant) {
        return new Variant(1, variant.workers, variant.work);
    }

    private static Series rates(Race race, Variant variant) {
        return race.of(variant.toString());
    }

    /** Of everybody. */
    private static Series cpu(Race race, Variant variant) {
        return race.serverOf(variant.toString()).plus(race.batonOf(variant.toString()));
    }

    private static void row(Finding into, Race race, Variant variant) {
        String what = variant.toString();
        boolean isOne = variant.members == 1;
        into.row(
                what,
                Shown.rate(race.of(what).median()),
                isOne
                        ? "1"
                        : rates(race, variant)
                                .dividedBy(rates(race, one(variant)))
                                .shownAsRatio(),
                Cost.shown(race.serverOf(what).median()),
                Cost.shown(race.batonOf(what).median()),
                isOne
                        ? "1"
                        : cpu(race, variant).dividedBy(cpu(race, one(variant))).shownAsRatio());
        into.number(what + ", messages/s", race.of(what).median());
        into.number(what + ", CPU µs/message of PostgreSQL", race.serverOf(what).median());
        into.number(what + ", CPU µs/message of the members", race.batonOf(what).median());
    }

    /** They join, share the lanes, and begin together when an operator sets them to the beginning. */
    private static Cost run(Arena arena, Place place, Variant variant, long rows) throws Exception {
        List<Player> players = new ArrayList<>();
        String name = "members-" + System.nanoTime();
        try {
            for (int i = 1; i <= variant.members; i++) {
                Player player = arena.player("member-" + i);
                players.add(player);
                player.ask(PATIENCE, "join", place.url(), name, variant.workers, variant.work);
            }
            awaitBalance(players);
            try (Baton operator = Baton.open(place.url())) {
                operator.subscriptions().pause(name, "all are to begin together");
                operator.subscriptions().rewind(name, 0, "all are to begin together");
                long server = arena.serverCpu();
                long baton = cpu(players);
                operator.subscriptions().resume(name, "all are to begin together");
                Count count = count(players, rows, variant.work == Membership.Work.SLEEP ? 2000 : PATIENCE.toMillis());
                return Cost.of(count.handled, count.nanos, arena.serverCpu() - server, cpu(players) - baton);
            }
        } finally {
            for (Player player : players) {
                if (player.isAlive()) {
                    player.ask(PATIENCE, "leave");
                }
            }
        }
    }

    private static long cpu(List<Player> players) {
        return players.stream().mapToLong(Player::cpu).sum();
    }

    private record Count(long handled, long nanos) {}

    /** Waits until everything is handled, or the time is over. */
    private static Count count(List<Player> players, long rows, long millis) throws IOException, InterruptedException {
        long patience = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < patience) {
            long handled = 0;
            long first = Long.MAX_VALUE;
            long last = 0;
            long now = 0;
            for (Player player : players) {
                Player.Words count = player.ask(PATIENCE, "count");
                handled += count.number(0);
                first = count.number(1) == 0 ? first : Math.min(first, count.number(1));
                last = Math.max(last, count.number(2));
                now = Math.max(now, count.number(3));
            }
            if (handled >= rows) {
                return new Count(handled, last - first);
            }
            if (handled > 0 && now - first >= millis * 1_000_000) {
                return new Count(handled, now - first);
            }
            Thread.sleep(20);
        }
        throw new IllegalStateException("not everything was handled within " + PATIENCE.toSeconds() + " s");
    }

    /** Waits until every lane has an owner and every member its share. */
    static void awaitBalance(List<Player> players) throws IOException, InterruptedException {
        long patience = System.nanoTime() + 30_000_000_000L;
        while (true) {
            List<Long> lanes = new ArrayList<>();
            for (Player player : players) {
                lanes.add(player.ask(PATIENCE, "count").number(4));
            }
            int share = Rows.LANES / players.size();
            if (lanes.stream().allMatch(owned -> owned >= share)) {
                return;
            }
            if (System.nanoTime() > patience) {
                throw new IllegalStateException("the lanes were not shared out within 30 s: " + lanes);
            }
            Thread.sleep(10);
        }
    }

    static void awaitHandled(Player player, long rows, Duration patience) throws IOException, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (player.ask(PATIENCE, "count").number(0) < rows) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("only "
                        + player.ask(PATIENCE, "count").number(0) + " of " + rows + " rows were handled within "
                        + patience.toSeconds() + " s");
            }
            Thread.sleep(20);
        }
    }
}
