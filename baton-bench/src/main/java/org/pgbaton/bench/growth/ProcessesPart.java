package org.pgbaton.bench.growth;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.StatementCount;

/** Measures many small processes: what each costs while nothing happens, and how long it takes until the lanes are shared out again. */
final class ProcessesPart extends GrowthPart {
    private static final int LANES = 64;
    private static final String STATEMENTS = "idle statements of each";
    private static final String SERVER = "idle, PostgreSQL, for each";
    private static final String BATON = "idle, Baton, each";
    private static final String JOIN = "balanced after a join";
    private static final String DEATH = "balanced after a death";

    private final Scale scale;

    ProcessesPart(Scale scale) {
        super("processes", "Processes");
        this.scale = scale;
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Curve curve = new Curve("processes", "process")
                .line(STATEMENTS, "a second")
                .line(SERVER, "ms of CPU a second")
                .line(BATON, "ms of CPU a second")
                .line(JOIN, "ms")
                .line(DEATH, "ms");
        int seconds = scale.sized(31, 10);
        List<Player> members = new ArrayList<>();
        try (Place place = arena.place()) {
            Player first = process(place, 1);
            members.add(first);
            first.ask(PATIENCE, "create", "wide", LANES);
            join(first);
            for (int step : scale.steps(3, 1, 2, 4, 8, 16, 32)) {
                while (members.size() < step) {
                    Player next = process(place, members.size() + 1);
                    members.add(next);
                    join(next);
                }
                awaitBalance(place, step);
                double join = median(scale.sized(3, 1), () -> joinAndLeave(place, step));
                double death = median(scale.sized(3, 1), () -> joinAndDie(place, step));
                Thread.sleep(scale.sized(10_000, 3000));
                double server = Cpu.ofServer(arena.server());
                double baton = Cpu.of(members);
                double statements = new StatementCount(arena.server(), seconds).perSecond(List.of("@" + place.name()));
                server = Cpu.ofServer(arena.server()) - server;
                baton = Cpu.of(members) - baton;
                curve.step(
                        step,
                        statements / step,
                        server / 1000 / seconds / step,
                        baton / 1000 / seconds / step,
                        join,
                        death);
                arena.progress(step + " processes: " + Curve.value(statements / step) + " statements/s each, join "
                        + Curve.value(join) + " ms, death " + Curve.value(death) + " ms");
            }
        } finally {
            members.forEach(Player::close);
        }
        into.say("Members of one subscription with " + LANES
                + " lanes, each in a JVM with 48 MiB of heap: statements and CPU of each while nothing "
                + "happens (" + seconds
                + " s); and how long it takes, when one more joins and when it is killed, until every lane has an owner and "
                + "every member its share. The start of the JVM does not count.");
        curve.tell(into);
        show(curve.plot(title()).limit(1.2), into);
        into.atMost(
                "statements/s of an idle process, as a multiple of one alone", curve.greatestGrowth(STATEMENTS), 1.2);
        into.atMost(
                "CPU of PostgreSQL for an idle process, as a multiple of one alone", curve.greatestGrowth(SERVER), 1.2);
        into.atMostMillis("balanced after a join", curve.most(JOIN), 2000);
        into.atMostMillis("balanced after a death", curve.most(DEATH), 2000);
    }

    private static Player process(Place place, int number) throws IOException, InterruptedException {
        Player player = Player.of(
                "member-" + number,
                List.of("-Xms16m", "-Xmx48m", "-XX:TieredStopAtLevel=1"),
                System.getProperty("java.class.path"),
                GrowthProgram.class.getName(),
                List.of());
        player.ask(PATIENCE, "open", place.url());
        return player;
    }

    private static void join(Player player) throws IOException, InterruptedException {
        player.ask(PATIENCE, "subscribe", "processes", "wide", -1, 100, 1, "NOTHING");
    }

    private static double joinAndLeave(Place place, int present) throws Exception {
        try (Player one = process(place, present + 1)) {
            long begin = System.nanoTime();
            join(one);
            awaitBalance(place, present + 1);
            double millis = (System.nanoTime() - begin) / 1e6;
            one.ask(PATIENCE, "close");
            awaitBalance(place, present);
            return millis;
        }
    }

    private static double joinAndDie(Place place, int present) throws Exception {
        try (Player one = process(place, present + 1)) {
            join(one);
            awaitBalance(place, present + 1);
            long begin = System.nanoTime();
            one.kill();
            awaitBalance(place, present);
            return (System.nanoTime() - begin) / 1e6;
        }
    }

    /** Waits until the locks of all lanes are held, by so many sessions, each with its share. */
    private static void awaitBalance(Place place, int members) throws SQLException, InterruptedException {
        String sql =
                "SELECT count(*) FROM (SELECT count(*) AS lanes, sum(count(*)) OVER () AS owned, count(*) OVER () AS owners FROM pg_locks"
                        + " WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid = 'baton.checkpoint'::regclass"
                        + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY pid) o"
                        + " WHERE owned = " + LANES + " AND owners = " + members + " AND lanes >= " + LANES / members;
        long end = System.nanoTime() + 60_000_000_000L;
        while (place.number(sql) != members) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("the lanes were not shared out among " + members + " within 60 s");
            }
            Thread.sleep(10);
        }
    }
}
