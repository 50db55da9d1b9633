package org.pgbaton.bench.log;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Finding;
import org.pgbaton.bench.Part;
import org.pgbaton.bench.Place;
import org.pgbaton.bench.Player;
import org.pgbaton.bench.Shown;

/** Measures several processes and several workers. */
final class MembersPart implements Part {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

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
        int[] workers = arena.isQuick() ? new int[] {1, 8} : new int[] {1, 4, 8};
        List<String> header = new ArrayList<>(List.of("members"));
        for (Membership.Work work : new Membership.Work[] {Membership.Work.SLEEP, Membership.Work.NOTHING}) {
            for (int worker : workers) {
                header.add((work == Membership.Work.SLEEP ? "1 ms, " : "no-op, ")
                        + worker
                        + (worker == 1 ? " worker" : " workers"));
            }
        }
        into.header(header.toArray(String[]::new));
        try (Place place = arena.place()) {
            Rows.fill(arena, place, 100_000); // a log that has been there for a while, with statistics
            run(arena, place, 1, 4, Membership.Work.NOTHING); // warms up
            for (int member : members) {
                List<String> cells = new ArrayList<>(List.of(Integer.toString(member)));
                for (Membership.Work work : new Membership.Work[] {Membership.Work.SLEEP, Membership.Work.NOTHING}) {
                    for (int worker : workers) {
                        cells.add(Shown.rate(tried(arena, place, member, worker, work, into)));
                    }
                }
                into.row(cells.toArray(String[]::new));
            }
        }
        into.say(
                "Messages per second of all members together, each in its own JVM, working off rows that come in one transaction, "
                        + "in batches of 500: with a handler that waits for 1 ms at every message, and with one that does nothing.");
    }

    private static double tried(Arena arena, Place place, int members, int workers, Membership.Work work, Finding into)
            throws InterruptedException {
        String what = members + " members, " + workers + " workers, " + work;
        try {
            double rate = run(arena, place, members, workers, work);
            arena.progress(what + ": " + Shown.rate(rate));
            into.number(what + ", messages/s", rate);
            return rate;
        } catch (InterruptedException end) {
            throw end;
        } catch (Exception failed) {
            into.failed(what, failed);
            arena.progress(what + " FAILED: " + Shown.oneLine(failed));
            return Double.NaN;
        }
    }

    private static double run(Arena arena, Place place, int members, int workers, Membership.Work work)
            throws Exception {
        List<Player> players = new ArrayList<>();
        String name = "members-" + System.nanoTime();
        try {
            for (int i = 1; i <= members; i++) {
                Player player = arena.player("member-" + i);
                players.add(player);
                player.ask(PATIENCE, "join", place.url(), name, workers, work);
            }
            awaitBalance(players);
            long millis = arena.sized(2000, 1500);
            long rows =
                    work == Membership.Work.SLEEP ? (long) members * workers * millis : arena.sized(200_000, 60_000);
            Rows.append(place, rows);
            return rate(players, rows, millis);
        } finally {
            for (Player player : players) {
                if (player.isAlive()) {
                    player.ask(PATIENCE, "leave");
                }
            }
        }
    }

    /** Waits until everything is handled, or the time is over. */
    private static double rate(List<Player> players, long rows, long millis) throws IOException, InterruptedException {
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
                return handled * 1e9 / (last - first);
            }
            if (handled > 0 && now - first >= millis * 1_000_000) {
                return handled * 1e9 / (now - first);
            }
            Thread.sleep(20);
        }
        throw new IllegalStateException("nothing was handled within " + PATIENCE.toSeconds() + " s");
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
