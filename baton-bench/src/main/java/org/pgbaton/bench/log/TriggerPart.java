package org.pgbaton.bench.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Race;
import org.pgbaton.bench.arena.Rows;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;

/**
 * Forms of the append trigger beside each other, to choose the cheapest. PL/pgSQL prepares each expression anew in
 * every transaction that uses it, so in transactions of one row the number of expressions matters more than what they
 * compute.
 */
final class TriggerPart implements Part {
    private static final String NONE = "no trigger, the same table and indexes";
    private static final String NOW = "as it is";

    private static final String DEFAULT_ID = "ALTER TABLE baton.events ALTER id SET DEFAULT gen_random_uuid()";
    private static final String ORDERED_ID =
            "ALTER TABLE baton.events ALTER id SET DEFAULT encode(set_bit(set_bit(overlay("
                    + "uuid_send(gen_random_uuid()) placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) "
                    + "from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid";

    // The parts of the forms.
    private static final String ID = """
            IF new.id IS NULL THEN new.id := pg_catalog.gen_random_uuid(); END IF;
            """;
    private static final String ID_MERGED = """
            new.id := coalesce(new.id, pg_catalog.gen_random_uuid());
            """;
    private static final String KEY = """
            IF new.key IS NULL THEN new.key := new.id::text; END IF;
            """;
    private static final String ID_AND_KEY = """
            IF new.id IS NULL OR new.key IS NULL THEN
              new.id := coalesce(new.id, pg_catalog.gen_random_uuid());
              new.key := coalesce(new.key, new.id::text);
            END IF;
            """;
    private static final String LANE = """
            h := pg_catalog.sha256(pg_catalog.convert_to(new.key, 'UTF8'));
            new.lane := ((pg_catalog.get_byte(h, 0)::bigint << 24) | (pg_catalog.get_byte(h, 1) << 16)
                       | (pg_catalog.get_byte(h, 2) << 8) | pg_catalog.get_byte(h, 3)) % 16;
            """;
    private static final String LANE_OF_TWO = """
            new.lane := pg_catalog.get_byte(pg_catalog.sha256(pg_catalog.convert_to(new.key, 'UTF8')), 3) & 15;
            """;
    private static final String LOCK = """
            nothing := pg_catalog.pg_advisory_xact_lock_shared(tg_relid::int, new.lane);
            """;
    private static final String POSITION = """
            new.position := pg_catalog.nextval('baton.events_position'::pg_catalog.regclass);
            """;
    private static final String LOCK_AND_POSITION = """
            new.position := CASE WHEN pg_catalog.pg_advisory_xact_lock_shared(tg_relid::int, new.lane) IS NULL THEN NULL
                                 ELSE pg_catalog.nextval('baton.events_position'::pg_catalog.regclass) END;
            """;
    private static final String RECORDED = """
            new.recorded_at := pg_catalog.clock_timestamp();
            """;
    private static final String DOORBELL = """
            IF NOT pg_catalog.pg_try_advisory_xact_lock_shared(tg_relid::int, -1) THEN
              IF pg_catalog.current_setting('baton.doorbell', true) IS DISTINCT FROM 'off' THEN
                nothing := pg_catalog.pg_notify('baton.' || tg_relid, '');
              END IF;
            END IF;
            """;
    // CASE, not OR, whose order SQL does not promise.
    private static final String RECORDED_AND_DOORBELL = """
            new.recorded_at := CASE WHEN CASE WHEN pg_catalog.pg_try_advisory_xact_lock_shared(tg_relid::int, -1) THEN true
                                              WHEN pg_catalog.current_setting('baton.doorbell', true) = 'off' THEN true
                                              ELSE pg_catalog.pg_notify('baton.' || tg_relid, '') IS NOT NULL END
                                    THEN pg_catalog.clock_timestamp() END;
            """;

    private static final String FEWEST = ID_AND_KEY + LANE_OF_TWO + LOCK_AND_POSITION + RECORDED_AND_DOORBELL;

    @Override
    public String name() {
        return "trigger";
    }

    @Override
    public String title() {
        return "Forms of the append trigger";
    }

    /** Each form, and the statements that install it in a new database. */
    private static Map<String, String[]> forms() {
        Map<String, String[]> forms = new LinkedHashMap<>();
        forms.put(NONE, new String[] {});
        forms.put(NOW, new String[] {});
        forms.put("the first form: nine expressions", body(ID + KEY + LANE + LOCK + POSITION + RECORDED + DOORBELL));
        forms.put(
                "seven expressions (must be as it is)",
                body(ID + KEY + LANE_OF_TWO + LOCK_AND_POSITION + RECORDED + DOORBELL));
        forms.put(
                "id in one expression", body(ID_MERGED + KEY + LANE_OF_TWO + LOCK_AND_POSITION + RECORDED + DOORBELL));
        forms.put(
                "id by the column's default, id and key checked at once",
                body(ID_AND_KEY + LANE_OF_TWO + LOCK_AND_POSITION + RECORDED + DOORBELL, DEFAULT_ID));
        forms.put("and doorbell and time in one: four, the fewest", body(FEWEST, DEFAULT_ID));
        forms.put("the fewest, ids in order of time", body(FEWEST, ORDERED_ID));
        forms.put(
                "the fewest, without the doorbell (UNSAFE)",
                body(ID_AND_KEY + LANE_OF_TWO + LOCK_AND_POSITION + RECORDED, DEFAULT_ID));
        forms.put(
                "the fewest, without the lane's lock (UNSAFE)",
                body(ID_AND_KEY + LANE_OF_TWO + POSITION + RECORDED_AND_DOORBELL, DEFAULT_ID));
        forms.put(
                "a trigger that does nothing (UNSAFE)",
                body(
                        "",
                        DEFAULT_ID,
                        "ALTER TABLE baton.events ALTER position SET DEFAULT nextval('baton.events_position'), "
                                + "ALTER recorded_at SET DEFAULT clock_timestamp(), ALTER lane SET DEFAULT 7"));
        return forms;
    }

    private static String[] body(String statements, String... more) {
        String[] all = new String[more.length + 1];
        System.arraycopy(more, 0, all, 0, more.length);
        all[more.length] =
                "CREATE OR REPLACE FUNCTION baton.events_append() RETURNS trigger LANGUAGE plpgsql AS $body$\nDECLARE\n"
                        + "h bytea;\nnothing text;\nBEGIN\n" + statements + "RETURN new;\nEND\n$body$";
        return all;
    }

    private record Costs(Series eager, Series inServer, Series bulk) {}

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Map<String, String[]> forms = forms();
        Map<String, Costs> costs = new LinkedHashMap<>();
        Race race = new Race(arena, into);
        forms.forEach((form, preparations) -> {
            Costs cost = new Costs(new Series(), new Series(), new Series());
            costs.put(form, cost);
            race.add(form, () -> measure(arena, form, preparations, cost));
        });
        AppendPart.warmUp(arena);
        race.run(arena.rounds());
        into.say("Rows per second of " + Rows.CLIENTS
                + " clients, one row to a transaction, durable and with `synchronous_commit` off; "
                + "microseconds of processor time for a transaction in a loop inside the server, `synchronous_commit` off; "
                + "and for a row of one large insert.");
        into.header(
                "",
                "rows/s",
                "of no trigger",
                "rows/s, not durable",
                "of no trigger",
                "µs in the server",
                "µs in bulk");
        Costs none = cost(costs, NONE);
        costs.forEach((form, cost) -> {
            into.row(
                    form,
                    Shown.rate(race.of(form).median()),
                    race.of(form).dividedBy(race.of(NONE)).shownAsRatio(),
                    Shown.rate(cost.eager.median()),
                    cost.eager.dividedBy(none.eager).shownAsRatio(),
                    Shown.rate(cost.inServer.median()),
                    Shown.rate(cost.bulk.median()));
            into.number(form + ", rows/s", race.of(form).median());
            into.number(form + ", rows/s not durable", cost.eager.median());
            into.number(form + ", µs in the server", cost.inServer.median());
            into.number(form + ", µs in bulk", cost.bulk.median());
        });
    }

    private static Costs cost(Map<String, Costs> costs, String form) {
        Costs found = costs.get(form);
        if (found == null) {
            throw new IllegalStateException("no form " + form);
        }
        return found;
    }

    private static double measure(Arena arena, String form, String[] preparations, Costs cost) throws Exception {
        try (Place place = arena.place()) {
            AppendPart.plainTable(place);
            place.execute(preparations);
            boolean plain = form.equals(NONE);
            String table = plain ? "public.plain" : "baton.events";
            String sql = plain ? AppendPart.INTO_PLAIN : AppendPart.INTO_EVENTS;
            place.execute("CHECKPOINT");
            double durable = AppendPart.write(arena, place.url(), sql);
            cost.eager.add(AppendPart.write(arena, place.url() + "&options=-c%20synchronous_commit=off", sql));
            cost.inServer.add(inServer(place, table, arena.sized(40_000, 10_000)));
            cost.bulk.add(inBulk(place, table, arena.sized(100_000, 30_000)));
            return durable;
        }
    }

    /** No client, no network: a loop with a commit after each row. */
    private static double inServer(Place place, String table, long rows) throws SQLException, IOException {
        String loop = "DO $$ BEGIN FOR i IN 1 .. %d LOOP INSERT INTO " + table
                + " (key, type, payload) VALUES ('key-' || i %% 10000, 'happened', '" + Rows.PAYLOAD
                + "'); COMMIT; END LOOP; END $$";
        return microsFor(
                place, rows, String.format(Locale.ROOT, loop, rows / 10), String.format(Locale.ROOT, loop, rows));
    }

    private static double inBulk(Place place, String table, long rows) throws SQLException, IOException {
        String insert = "INSERT INTO " + table + " (key, type, payload) SELECT 'key-' || g %% 10000, 'happened', '"
                + Rows.PAYLOAD + "' FROM generate_series(1, %d) g";
        return microsFor(
                place, rows, String.format(Locale.ROOT, insert, rows / 10), String.format(Locale.ROOT, insert, rows));
    }

    private static double microsFor(Place place, long rows, String warmUp, String sql)
            throws SQLException, IOException {
        try (Connection connection = DriverManager.getConnection(place.url());
                Statement statement = connection.createStatement()) {
            statement.execute("SET synchronous_commit = off");
            long process;
            try (ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
                row.next();
                process = row.getLong(1);
            }
            statement.execute(warmUp);
            long begin = nanosOf(process);
            statement.execute(sql);
            return (nanosOf(process) - begin) / 1e3 / rows;
        }
    }

    /**
     * The CPU time of the process, which other work on the machine disturbs little; where it is not known, the clock.
     */
    private static long nanosOf(long process) throws IOException {
        Path statistics = Path.of("/proc/" + process + "/schedstat");
        return Files.isReadable(statistics)
                ? Long.parseLong(Files.readString(statistics).split(" ", 2)[0])
                : System.nanoTime();
    }
}
