package org.pgbaton.bench.growth;

import java.util.List;
import java.util.Locale;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.StatementCount;

/** Measures many subscriptions in one process: all on one log, or each on a log of its own. */
final class SubscriptionsPart extends GrowthPart {
    private static final int LANES = 16;
    private static final String DEDICATED = "dedicated connections";
    private static final String CONNECTIONS = "all connections";
    /** So many ordinary connections a process keeps that was given no pool, beside the dedicated ones. */
    private static final int KEPT = 16;

    private static final String STATEMENTS = "idle statements";
    private static final String LOOK = "a look";
    private static final String STATUS = "status";
    private static final String IDLE_SERVER = "idle, PostgreSQL";
    private static final String IDLE_BATON = "idle, Baton";
    private static final String ROW = "a row that all read";

    private final Scale scale;
    private final boolean manyLogs;
    private final List<Integer> steps;

    private SubscriptionsPart(Scale scale, boolean manyLogs, List<Integer> steps) {
        super(manyLogs ? "logs" : "subscriptions", manyLogs ? "Logs in one process" : "Subscriptions on one log");
        this.scale = scale;
        this.manyLogs = manyLogs;
        this.steps = steps;
    }

    static SubscriptionsPart onOneLog(Scale scale) {
        return new SubscriptionsPart(scale, false, scale.steps(3, 1, 3, 10, 30, 100));
    }

    static SubscriptionsPart onManyLogs(Scale scale) {
        return new SubscriptionsPart(scale, true, scale.steps(3, 1, 3, 10, 25, 50));
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Curve curve = new Curve(manyLogs ? "logs" : "subscriptions", manyLogs ? "log" : "subscription")
                .line(DEDICATED, "open")
                .line(CONNECTIONS, "open")
                .line(STATEMENTS, "a second")
                .line(LOOK, "µs of CPU")
                .line(STATUS, "µs of CPU")
                .line(IDLE_SERVER, "ms of CPU a second")
                .line(IDLE_BATON, "ms of CPU a second")
                .line(ROW, "µs of CPU, all processes");
        int seconds = scale.sized(31, 10);
        try (Place place = arena.place()) {
            Player reader = arena.player("reader");
            reader.ask(PATIENCE, "open", place.url());
            int there = 0;
            for (int step : steps) {
                for (; there < step; there++) {
                    String log = manyLogs ? "log_" + there : "events";
                    if (manyLogs) {
                        reader.ask(PATIENCE, "create", log, LANES);
                    }
                    reader.ask(PATIENCE, "subscribe", "many-" + there, log, -1, 500, 4, "NOTHING");
                }
                awaitLanes(reader, (long) step * LANES);
                double row = row(arena, place, reader, step);
                Thread.sleep(scale.sized(10_000, 3000)); // until the pool has given back what it does not need
                double server = Cpu.ofServer(arena.server());
                double baton = Cpu.of(List.of(reader));
                double statements = new StatementCount(arena.server(), seconds).perSecond(List.of("@" + place.name()));
                server = Cpu.ofServer(arena.server()) - server;
                baton = Cpu.of(List.of(reader)) - baton;
                String open = "SELECT count(*) FROM pg_stat_activity WHERE datname = '" + place.name() + "'";
                double connections = new Place(arena, "postgres").number(open);
                double dedicated = new Place(arena, "postgres").number(open + " AND application_name LIKE 'baton _%'");
                int times = scale.sized(100, 30);
                reader.ask(PATIENCE, "status", 2);
                Cost status = cost(arena, List.of(), () -> reader.ask(PATIENCE, "status", times));
                curve.step(
                        step,
                        dedicated,
                        connections,
                        statements,
                        look(arena, place),
                        status.serverPer(times),
                        server / 1000 / seconds,
                        baton / 1000 / seconds,
                        row);
                arena.progress(step + ": " + connections + " connections, " + statements + " statements/s");
            }
        }
        into.say((manyLogs
                        ? "One process with a subscription on each of several logs"
                        : "One process with several subscriptions on one log")
                + String.format(
                        Locale.ROOT,
                        ", %d lanes each: its connections; statements and CPU while nothing happens (%d s); one look, and one status, of PostgreSQL; and one row in "
                                + "%s, handled by all, 100 rows a second.",
                        LANES,
                        seconds,
                        manyLogs ? "one of the logs" : "the log"));
        curve.tell(into);
        show(curve.plot(title()), into);
        into.holds(
                "dedicated connections constant: " + Curve.value(curve.least(DEDICATED)) + " to "
                        + Curve.value(curve.most(DEDICATED)),
                curve.most(DEDICATED) == curve.least(DEDICATED));
        into.atMost(
                "connections at rest, with the ordinary ones that are kept",
                curve.most(CONNECTIONS),
                curve.most(DEDICATED) + KEPT);
        into.atMost("statements/s of the idle process", curve.most(STATEMENTS), 5);
        Law.Kind look = curve.law(LOOK).kind();
        into.holds(
                "a look at most linear: " + curve.law(LOOK).sentence("µs", manyLogs ? "log" : "subscription"),
                look != Law.Kind.UNKNOWN
                        && (look != Law.Kind.POWER || curve.law(LOOK).exponent() <= 1.1));
        Law status = curve.law(STATUS);
        into.holds(
                "status at most linear: " + status.sentence("µs", manyLogs ? "log" : "subscription"),
                status.kind() != Law.Kind.POWER || status.exponent() <= 1.1);
    }

    /** Microseconds of PostgreSQL for one look at all logs, with the locks that there are. */
    private double look(Arena arena, Place place) throws Exception {
        int times = scale.sized(5000, 1000);
        String logs =
                "(SELECT array_agg(relation::oid) FROM baton.log), (SELECT array_agg(sequence::oid) FROM baton.log)";
        Cost cost = cost(arena, List.of(), () -> {
            place.execute("DO $$ BEGIN FOR i IN 1 .. " + times + " LOOP PERFORM baton.look(" + logs
                    + ", '{}'::oid[]); END LOOP; END $$");
            return Player.Words.of("");
        });
        return cost.serverPer(times);
    }

    /** Microseconds of all processes, but the writer, for one row; what they need while idle is in it. */
    private double row(Arena arena, Place place, Player reader, int readers) throws Exception {
        Player writer = arena.player("writer");
        int seconds = scale.sized(5, 3);
        long before = reader.ask(PATIENCE, "count").number(0);
        Cost cost = cost(arena, List.of(reader), () -> {
            Player.Words written = writer.ask(
                    PATIENCE, "write", place.url(), manyLogs ? "log_0" : "events", 2, 100, seconds, 180, 1000);
            awaitHandled(reader, before + written.number(0) * (manyLogs ? 1 : readers), PATIENCE);
            return written;
        });
        return (cost.server() + cost.players()) / cost.answer().number(0);
    }
}
