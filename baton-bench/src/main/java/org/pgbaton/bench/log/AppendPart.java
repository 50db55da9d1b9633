package org.pgbaton.bench.log;

import java.sql.SQLException;
import java.time.Duration;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Finding;
import org.pgbaton.bench.Part;
import org.pgbaton.bench.Place;
import org.pgbaton.bench.Player;
import org.pgbaton.bench.Race;
import org.pgbaton.bench.Series;
import org.pgbaton.bench.Shown;

/**
 * Measures single-row transactions: how much more the log costs than the same table without a trigger, and what other
 * ways to order or announce rows cost.
 */
final class AppendPart implements Part {
    static final String INTO_EVENTS = "INSERT INTO baton.events (key, type, payload) VALUES (?, 'happened', ?::json)";

    private static final String LIMIT = "the same table and indexes, no trigger (limit)";
    private static final String LOG = "baton.events, no subscription";
    private static final String LIVE = "baton.events, a live subscription in another JVM";
    private static final String NOTIFY = "the same table, NOTIFY at every commit";
    private static final String LOCK = "the same table, one lock for all appends";

    @Override
    public String name() {
        return "append";
    }

    @Override
    public String title() {
        return "Append";
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

    static final String INTO_PLAIN = "INSERT INTO public.plain (key, type, payload) VALUES (?, 'happened', ?::json)";

    /** Rows per second of the usual number of clients. */
    static double write(Arena arena, String url, String sql) throws Exception {
        double seconds = arena.isQuick() ? 1.5 : 3;
        return arena.player("writers")
                .ask(Duration.ofMinutes(1), "write", url, sql, Rows.CLIENTS, arena.isQuick() ? 0.5 : 1, seconds)
                .perSecond();
    }

    /** Warms up the writers' JVM, so that the first variant is not the slowest only because it is the first. */
    static void warmUp(Arena arena) throws Exception {
        arena.progress("warming up");
        try (Place place = arena.place()) {
            plainTable(place);
            arena.player("writers")
                    .ask(Duration.ofMinutes(1), "write", place.url(), INTO_PLAIN, Rows.CLIENTS, 0, arena.sized(5, 3));
        }
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Race race = new Race(arena, into);
        race.add(LIMIT, () -> in(arena, INTO_PLAIN));
        race.add(LOG, () -> in(arena, INTO_EVENTS));
        race.add(LIVE, () -> live(arena));
        race.add(
                NOTIFY,
                () -> in(
                        arena,
                        INTO_PLAIN,
                        "CREATE FUNCTION public.ring() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('bench', ''); "
                                + "RETURN NULL; END $$",
                        "CREATE TRIGGER ring AFTER INSERT ON public.plain FOR EACH ROW EXECUTE FUNCTION public.ring()"));
        race.add(
                LOCK,
                () -> in(
                        arena,
                        INTO_PLAIN,
                        "CREATE FUNCTION public.in_line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(42); "
                                + "new.position := nextval('public.plain_position'); RETURN new; END $$",
                        "CREATE TRIGGER in_line BEFORE INSERT ON public.plain FOR EACH ROW EXECUTE FUNCTION public.in_line()"));
        warmUp(arena);
        race.run(arena.isQuick() ? arena.rounds() : arena.rounds() + 2);

        into.say(
                "Rows per second of " + Rows.CLIENTS + " clients, one row to a transaction, payload "
                        + Rows.PAYLOAD_BYTES
                        + " bytes, median of the rounds; each measurement in a new database. Ratios round by round: median (range).");
        into.header("", "rows/s", "of the limit");
        Series limit = race.of(LIMIT);
        for (String variant : new String[] {LIMIT, LOG, LIVE, NOTIFY, LOCK}) {
            Series series = race.of(variant);
            Series ratio = series.dividedBy(limit);
            into.row(variant, Shown.rate(series.median()), variant.equals(LIMIT) ? "1" : ratio.shownAsRatio());
            into.number(variant + ", rows/s", series.median());
            into.number(variant + ", of the limit", ratio.median());
        }
        into.atLeast("without a subscription", race.of(LOG).dividedBy(limit).median(), 0.9);
        into.atLeast("with a live subscription", race.of(LIVE).dividedBy(limit).median(), 0.8);
    }

    private static double in(Arena arena, String sql, String... preparations) throws Exception {
        try (Place place = arena.place()) {
            plainTable(place);
            place.execute(preparations);
            place.execute("CHECKPOINT");
            return write(arena, place.url(), sql);
        }
    }

    private static double live(Arena arena) throws Exception {
        try (Place place = arena.place()) {
            plainTable(place);
            Player consumer = arena.player("consumer");
            consumer.ask(Duration.ofSeconds(30), "join", place.url(), "bench", 4, Membership.Work.NOTHING);
            try {
                MembersPart.awaitBalance(java.util.List.of(consumer));
                place.execute("CHECKPOINT");
                double rate = write(arena, place.url(), INTO_EVENTS);
                long rows = place.number("SELECT count(*) FROM baton.events");
                MembersPart.awaitHandled(consumer, rows, Duration.ofSeconds(30));
                return rate;
            } finally {
                if (consumer.isAlive()) {
                    consumer.ask(Duration.ofMinutes(1), "leave");
                }
            }
        }
    }
}
