package org.pgbaton.bench.log;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;
import org.pgbaton.bench.arena.StatementCount;

/** Measures what a subscription costs the database while nothing happens. */
final class IdlePart implements Part {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public String title() {
        return "Idle";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        int seconds = (int) arena.sized(30, 10);
        into.say("Statements per second and process while nobody writes, counted in the server's log for " + seconds
                + " s (housekeeping comes every 30 s); and transactions per second by `pg_stat_database`.");
        into.header("processes", "statements/s each", "transactions/s each");
        double worst = Double.NaN;
        for (int processes : arena.isQuick() ? new int[] {1} : new int[] {1, 3}) {
            try (Place place = arena.place()) {
                double[] each = count(arena, place, processes, seconds);
                into.row(
                        Integer.toString(processes),
                        String.format(Locale.ROOT, "%.1f", each[0]),
                        String.format(Locale.ROOT, "%.1f", each[1]));
                into.number(processes + " processes, statements/s each", each[0]);
                into.number(processes + " processes, transactions/s each", each[1]);
                worst = Double.isNaN(worst) ? each[0] : Math.max(worst, each[0]);
            } catch (InterruptedException end) {
                throw end;
            } catch (Exception failed) {
                into.failed(processes + " processes", failed);
            }
        }
        into.atMost("statements/s of an idle process", worst, 2.5);
    }

    private static double[] count(Arena arena, Place place, int processes, int seconds) throws Exception {
        List<Player> players = new ArrayList<>();
        try {
            for (int i = 1; i <= processes; i++) {
                Player player = arena.player("member-" + i);
                players.add(player);
                player.ask(PATIENCE, "join", place.url(), "idle", 4, Membership.Work.NOTHING);
            }
            Thread.sleep(arena.sized(
                    12_000, 5000)); // what they do at the start does not count, and is in the statistics by then
            long before = transactions(arena, place);
            double statements =
                    new StatementCount(arena.server(), seconds).perSecond(List.of("@" + place.name())) / processes;
            double transactions = (transactions(arena, place) - before) / (double) seconds / processes;
            arena.progress(processes + " processes: " + Shown.rate(statements) + " statements/s each");
            return new double[] {statements, transactions};
        } finally {
            for (Player player : players) {
                if (player.isAlive()) {
                    player.ask(PATIENCE, "leave");
                }
            }
        }
    }

    private static long transactions(Arena arena, Place place) throws SQLException {
        return new Place(arena, "postgres")
                .number("SELECT xact_commit FROM pg_stat_database WHERE datname = '" + place.name() + "'");
    }
}
