package org.pgbaton.bench.log;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Rows;
import org.pgbaton.bench.arena.Samples;
import org.pgbaton.bench.arena.Shown;

/** One of two members is killed while rows flow. */
final class TakeoverPart implements Part {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int RATE = 500;

    private record Seen(Player by, int lane, long at) {}

    private final BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
    /** The member that reported each lane last. */
    private final Map<Integer, Player> owners = new ConcurrentHashMap<>();

    private int started;

    @Override
    public String name() {
        return "takeover";
    }

    @Override
    public String title() {
        return "Takeover";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        int rounds = arena.isQuick() ? 5 : arena.rounds() * 10;
        Samples first = new Samples();
        Samples all = new Samples();
        Player writer = arena.player("writers");
        try (Place place = arena.place()) {
            writer.ask(PATIENCE, "flow", place.url(), RATE);
            Player one = member(arena, place);
            Player two = member(arena, place);
            try {
                for (int round = 1; round <= rounds; round++) {
                    awaitOwners(List.of(one, two));
                    TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(100, 400));
                    round(one, two, first, all);
                    arena.progress("round " + round + " of " + rounds + ": " + first.shown());
                    // The one that survived is the older one now, and will be killed next.
                    one = two;
                    two = round == rounds ? one : member(arena, place);
                }
            } catch (InterruptedException end) {
                throw end;
            } catch (Exception failed) {
                into.failed("after " + first.size() + " rounds", failed);
            } finally {
                one.close();
                two.close();
                writer.ask(PATIENCE, "dam");
            }
        }
        into.say("Two members while " + RATE
                + " rows/s flow; `kill -9` of one, until the other handles a message of its lanes. " + first.size()
                + " rounds.");
        into.header("", "p50", "p99");
        row(into, "the first message of any of its lanes", first);
        row(into, "every one of its lanes again", all);
        into.atMostMillis("p50", percentile(first, 50), 50);
        into.atMostMillis("p99", percentile(first, 99), 200);
    }

    private static void row(Finding into, String what, Samples samples) {
        into.row(what, Shown.millis(percentile(samples, 50)), Shown.millis(percentile(samples, 99)));
        into.number(what + ", p50 ms", percentile(samples, 50));
        into.number(what + ", p99 ms", percentile(samples, 99));
    }

    private static double percentile(Samples samples, int percent) {
        return samples.size() == 0 ? Double.NaN : samples.percentile(percent);
    }

    private Player member(Arena arena, Place place) throws IOException, InterruptedException {
        Player player = arena.newPlayer("member-" + ++started, List.of());
        player.onEvent(event -> {
            int lane = Integer.parseInt(event[2]);
            owners.put(lane, player);
            seen.add(new Seen(player, lane, Long.parseLong(event[4])));
        });
        player.ask(PATIENCE, "join", place.url(), "takeover", 4, Membership.Work.TELL);
        arena.progress(player + " joined");
        return player;
    }

    private void awaitOwners(List<Player> players) throws IOException, InterruptedException {
        MembersPart.awaitBalance(players);
        long patience = System.nanoTime() + 30_000_000_000L;
        for (Player player : players) {
            while (lanesOf(player).size() != Rows.LANES / players.size()) {
                if (System.nanoTime() > patience) {
                    throw new IllegalStateException("not every lane was heard of within 30 s");
                }
                Thread.sleep(5);
            }
        }
    }

    private Set<Integer> lanesOf(Player player) {
        Set<Integer> lanes = new HashSet<>();
        owners.forEach((lane, owner) -> {
            if (owner == player) {
                lanes.add(lane);
            }
        });
        return lanes;
    }

    private void round(Player victim, Player survivor, Samples first, Samples all) throws InterruptedException {
        Set<Integer> orphans = lanesOf(victim);
        seen.clear();
        long begin = System.nanoTime();
        victim.kill();
        double firstMillis = Double.NaN;
        double lastMillis = 0;
        while (!orphans.isEmpty()) {
            Seen next = seen.poll(60, TimeUnit.SECONDS);
            if (next == null) {
                throw new IllegalStateException("nobody took over lanes " + orphans + " within 60 s");
            }
            if (next.by() == survivor && next.at() > begin && orphans.remove(next.lane())) {
                double millis = (next.at() - begin) / 1e6;
                firstMillis = Double.isNaN(firstMillis) ? millis : Math.min(firstMillis, millis);
                lastMillis = Math.max(lastMillis, millis);
            }
        }
        first.add(firstMillis);
        all.add(lastMillis);
        victim.close();
    }
}
