package org.pgbaton.bench.log;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Cost;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Pgbench;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Race;
import org.pgbaton.bench.arena.Rows;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;
import org.pgbaton.bench.arena.WarmUp;

/**
 * Measures how much more it costs to write to the log than to the same table without a trigger: by a lean client and by JDBC, row by
 * row, in larger statements and with COPY. And what other ways to order or announce rows cost.
 */
final class AppendPart implements Part {
    static final String PLAIN = "public.plain";
    static final String EVENTS = "baton.events";
    static final String INTO_PLAIN = into(PLAIN);
    static final String INTO_EVENTS = into(EVENTS);

    private static final String OTHERS = "JDBC, 1 row";
    private static final String NOTIFY = "the same table, NOTIFY at every commit";
    private static final String LOCK = "the same table, one lock for all appends";
    private static final double AIM = 0.88;
    private static final double AIM_LIVE = 0.78;

    /** A way to write to a table. */
    private interface Way {
        /** @param reader whose CPU time counts as Baton's; null if nobody reads */
        Cost write(Place place, String table, @Nullable Player reader) throws Exception;
    }

    @Override
    public String name() {
        return "append";
    }

    @Override
    public String title() {
        return "Append";
    }

    private static String into(String table) {
        return "INSERT INTO " + table + " (key, type, payload) VALUES (?, 'happened', ?::json)";
    }

    /** The table of a log without its trigger: with defaults and a constant lane instead. */
    static void plainTable(Place place) throws SQLException {
        place.execute(
                "CREATE SEQUENCE public.plain_position",
                "CREATE TABLE public.plain (LIKE baton.events INCLUDING ALL)",
                "ALTER TABLE public.plain ALTER position SET DEFAULT nextval('public.plain_position'), "
                        + "ALTER recorded_at SET DEFAULT clock_timestamp(), ALTER id SET DEFAULT gen_random_uuid(), "
                        + "ALTER lane SET DEFAULT 7");
    }

    /** Rows per second of the usual number of clients. */
    static double write(Arena arena, String url, String sql) throws Exception {
        return write(arena, url, sql, null).perSecond();
    }

    private static Cost write(Arena arena, String url, String sql, @Nullable Player reader) throws Exception {
        double seconds = arena.isQuick() ? 1.5 : 3;
        return arena.player("writers")
                .ask(
                        Duration.ofMinutes(1),
                        "write",
                        url,
                        sql,
                        Rows.CLIENTS,
                        arena.isQuick() ? 0.5 : 1,
                        seconds,
                        reader == null ? 0 : reader.pid())
                .cost();
    }

    /** Warms up the writers' JVM, so that the first variant is not the slowest only because it is the first. */
    static void warmUp(Arena arena) throws Exception {
        try (Place place = arena.place()) {
            plainTable(place);
            WarmUp.untilStable(arena, "writers", () -> write(arena, place.url(), INTO_PLAIN));
        }
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Race race = new Race(arena, into);
        List<String> ways = new ArrayList<>();
        Pgbench pgbench = Pgbench.find();
        if (pgbench != null) {
            enter(
                    arena,
                    race,
                    ways,
                    "pgbench, 1 row",
                    (place, table, reader) -> pgbench.write(arena, place, table, 1, reader));
            enter(
                    arena,
                    race,
                    ways,
                    "pgbench, 10 rows to an INSERT",
                    (place, table, reader) -> pgbench.write(arena, place, table, 10, reader));
        }
        Way jdbc = (place, table, reader) -> write(arena, place.url(), into(table), reader);
        enter(arena, race, ways, OTHERS, jdbc);
        enter(
                arena,
                race,
                ways,
                "JDBC, COPY of " + Shown.count(Writers.ROWS_PER_COPY) + " rows",
                (place, table, reader) ->
                        write(arena, place.url(), "COPY " + table + " (key, type, payload) FROM STDIN", reader));
        race.addWithCost(
                NOTIFY,
                () -> in(
                        arena,
                        PLAIN,
                        jdbc,
                        "CREATE FUNCTION public.ring() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('bench', ''); "
                                + "RETURN NULL; END $$",
                        "CREATE TRIGGER ring AFTER INSERT ON public.plain FOR EACH ROW EXECUTE FUNCTION public.ring()"));
        race.addWithCost(
                LOCK,
                () -> in(
                        arena,
                        PLAIN,
                        jdbc,
                        "CREATE FUNCTION public.in_line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(42); "
                                + "new.position := nextval('public.plain_position'); RETURN new; END $$",
                        "CREATE TRIGGER in_line BEFORE INSERT ON public.plain FOR EACH ROW EXECUTE FUNCTION public.in_line()"));
        WarmUp.untilStable(
                arena, "writers and subscription", () -> live(arena, jdbc).perSecond());
        race.run(arena.isQuick() ? arena.rounds() : arena.rounds() + 2);

        into.say("Rows per second of " + Rows.CLIENTS + " clients, payload " + Rows.PAYLOAD_BYTES
                + " bytes, each statement a transaction; median of the rounds, in which the variants take turns, each in a new "
                + "database. *Limit*: the same table and indexes without trigger, by the same client. Ratios round by round: "
                + "median (range). Beside them the CPU time for each row, of PostgreSQL with all its processes and of the "
                + "subscription's process.");
        into.say("The writers' and the subscription's JVMs are warmed up first, " + WarmUp.RULE
                + "; then each client writes for a while that does not count before each measurement. "
                + (pgbench == null
                        ? "pgbench is left out, because this machine has none."
                        : "pgbench " + pgbench.version() + " runs in prepared mode; its connections count."));
        into.header("", "rows/s", "of the limit", "CPU/row, PostgreSQL", "CPU/row, Baton");
        for (String way : ways) {
            row(into, race, limit(way), limit(way));
            row(into, race, log(way), limit(way));
            row(into, race, live(way), limit(way));
            if (way.equals(OTHERS)) {
                row(into, race, NOTIFY, limit(way));
                row(into, race, LOCK, limit(way));
            }
        }
        for (String way : ways) {
            into.atLeast(
                    log(way), race.of(log(way)).dividedBy(race.of(limit(way))).median(), AIM);
            into.atLeast(
                    live(way), race.of(live(way)).dividedBy(race.of(limit(way))).median(), AIM_LIVE);
        }
    }

    private static String limit(String way) {
        return way + ": no trigger (limit)";
    }

    private static String log(String way) {
        return way + ": the log, nobody reads";
    }

    private static String live(String way) {
        return way + ": the log, a live subscription";
    }

    private static void enter(Arena arena, Race race, List<String> ways, String name, Way way) {
        ways.add(name);
        race.addWithCost(limit(name), () -> in(arena, PLAIN, way));
        race.addWithCost(log(name), () -> in(arena, EVENTS, way));
        race.addWithCost(live(name), () -> live(arena, way));
    }

    private static void row(Finding into, Race race, String variant, String limit) {
        Series series = race.of(variant);
        Series ratio = series.dividedBy(race.of(limit));
        into.row(
                variant,
                Shown.rate(series.median()),
                variant.equals(limit) ? "1" : ratio.shownAsRatio(),
                Cost.shown(race.serverOf(variant).median()),
                Cost.shown(race.batonOf(variant).median()));
        into.number(variant + ", rows/s", series.median());
        into.number(variant + ", of the limit", ratio.median());
        into.number(
                variant + ", CPU µs/row of PostgreSQL", race.serverOf(variant).median());
        into.number(variant + ", CPU µs/row of Baton", race.batonOf(variant).median());
    }

    private static Cost in(Arena arena, String table, Way way, String... preparations) throws Exception {
        try (Place place = arena.place()) {
            plainTable(place);
            place.execute(preparations);
            place.execute("CHECKPOINT");
            return way.write(place, table, null);
        }
    }

    private static Cost live(Arena arena, Way way) throws Exception {
        try (Place place = arena.place()) {
            plainTable(place);
            Player consumer = arena.player("consumer");
            consumer.ask(Duration.ofSeconds(30), "join", place.url(), "bench", 4, Membership.Work.NOTHING);
            try {
                MembersPart.awaitBalance(List.of(consumer));
                place.execute("CHECKPOINT");
                Cost cost = way.write(place, EVENTS, consumer);
                long rows = place.number("SELECT count(*) FROM baton.events");
                MembersPart.awaitHandled(consumer, rows, Duration.ofSeconds(60));
                return cost;
            } finally {
                if (consumer.isAlive()) {
                    consumer.ask(Duration.ofMinutes(1), "leave");
                }
            }
        }
    }
}
