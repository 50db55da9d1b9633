package org.pgbaton.chaos.traffic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.world.OldOutbox;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.Workers;
import org.pgbaton.chaos.world.World;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.migration.AdoptionFunctions;

/**
 * An operator who adopts the {@link OldOutbox}, changes his mind now and then, and adopts it at last. He does what {@code baton logs adopt} does,
 * with the same functions, over the same network as the processes of Baton. What breaks off is run again; and sometimes he is killed in
 * the middle of a step, so that nobody knows whether PostgreSQL did it.
 */
final class Adopter implements AutoCloseable {
    private static final Duration AT_MOST = Duration.ofSeconds(60);
    private static final int SETTLE_MILLIS = 100;

    private static final String PLAN = """
            jsonb_populate_record(NULL::baton.adoption, '{"relation": "public.old_outbox", "log": "outbox", "id_column": "id",
              "key_column": "key", "fixed_topic": "orders", "payload_column": "payload", "status_column": "status",
              "pending": ["PENDING"], "taken": "BATON", "state": "draining"}')""";
    private static final String ARGUMENTS = "('public.old_outbox'::regclass, 'adopter', 'chaos')";

    private static final String BEFORE = AdoptionFunctions.installation(SchemaName.DEFAULT);
    private static final String AFTER = "; " + AdoptionFunctions.removal(SchemaName.DEFAULT);

    private static final String CHECK =
            "SELECT c.refused, baton.status_fault(p) FROM " + PLAN + " p, baton.check_adoption(p) c";
    /** Only while it is adopted are the functions there. */
    private static final String IS_ADOPTED =
            "SELECT FROM baton.adoption a WHERE a.relation = 'public.old_outbox'::regclass";

    private static final String STATE = """
            SELECT a.state, baton.adoption_pending(a), coalesce(baton.adoption_unsent(a), 1) FROM baton.adoption a
             WHERE a.relation = 'public.old_outbox'::regclass""";
    private static final String BEGIN = "SELECT baton.begin_adoption(" + PLAN + ", 'adopter', 'chaos')";
    private static final String FINISH = "SELECT baton.finish_adoption" + ARGUMENTS;
    private static final String BEGIN_RETURN = "SELECT baton.begin_return" + ARGUMENTS;
    private static final String FINISH_RETURN = "SELECT baton.finish_return" + ARGUMENTS;
    /** Steps of one who was killed go on at the server. */
    private static final String OTHERS = """
            SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND application_name = 'adopter' AND state = 'active' AND pid <> pg_backend_pid()""";

    private final World world;
    private final Random random;
    private final Thread thread = new Thread(this::adoptAtLast, "chaos-adopter");
    private volatile boolean stopped;
    private volatile boolean done;

    private Adopter(World world, Random random) {
        this.world = world;
        this.random = random;
    }

    static Adopter start(World world, Random random) {
        Adopter adopter = new Adopter(world, random);
        adopter.thread.setDaemon(true);
        adopter.thread.start();
        return adopter;
    }

    /** @return whether the table is adopted */
    boolean await() throws InterruptedException {
        thread.join(AT_MOST.toMillis());
        return done;
    }

    private void adoptAtLast() {
        Wait.between(random, 0, 300);
        for (int i = random.nextInt(3); i > 0; i--) {
            boolean whileItDrains = random.nextInt(3) == 0;
            until(
                    whileItDrains ? "begin to adopt" : "adopt",
                    connection -> whileItDrains ? isBegun(connection) : isAdopted(connection));
            Wait.between(random, 0, 500);
            until("give back", this::isGivenBack);
            Wait.between(random, 0, 300);
        }
        until("adopt", connection -> isAdopted(connection) && isAlone(connection));
        done = !stopped;
    }

    /** One look, and the step that it calls for; true if there is nothing more to do. */
    @FunctionalInterface
    private interface Step {
        boolean on(Connection connection) throws SQLException;
    }

    private void until(String what, Step step) {
        world.events().add(what);
        String last = "";
        while (!stopped) {
            try (Connection connection = connect()) {
                while (!stopped) {
                    if (step.on(connection)) {
                        world.events().add(what + ": done");
                        return;
                    }
                    Wait.between(random, 10, 50);
                }
            } catch (SQLException brokenOff) {
                String message = String.valueOf(brokenOff.getMessage())
                        .lines()
                        .findFirst()
                        .orElse("");
                if (!message.equals(last)) {
                    world.events().add(what + " broke off: " + message);
                }
                last = message;
                Wait.between(random, 50, 200);
            }
        }
    }

    private Connection connect() throws SQLException {
        String url = world.proxy().url(world.database(), Workers.USER);
        Connection connection = DatabaseUrl.parse(url).connector().connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET application_name = 'adopter'");
            return connection;
        } catch (SQLException failed) {
            connection.close();
            throw failed;
        }
    }

    /** @param unsent messages that relays of the log have to send */
    private record State(String name, long pending, long unsent) {}

    /** Null: the table is the old relay's. */
    private static @Nullable State state(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(IS_ADOPTED);
                ResultSet row = select.executeQuery()) {
            if (!row.next()) {
                return null;
            }
        }
        try (PreparedStatement select = connection.prepareStatement(STATE);
                ResultSet row = select.executeQuery()) {
            return row.next() ? new State(row.getString(1), row.getLong(2), row.getLong(3)) : null;
        }
    }

    private boolean isBegun(Connection connection) throws SQLException {
        State now = state(connection);
        if (now == null) {
            run(connection, CHECK);
            step(connection, BEGIN);
            return true;
        }
        if (now.name.equals("returning")) {
            isGivenBack(connection); // what was begun has to be finished first
            return false;
        }
        return true;
    }

    private boolean isAdopted(Connection connection) throws SQLException {
        State now = state(connection);
        if (now != null && now.name.equals("adopted")) {
            return true;
        }
        if (isBegun(connection) && now != null && now.pending == 0) {
            Wait.between(random, SETTLE_MILLIS, SETTLE_MILLIS + 1);
            State later = state(connection);
            if (later != null && later.name.equals("draining") && later.pending == 0) {
                step(connection, FINISH);
            }
        }
        return false;
    }

    private boolean isGivenBack(Connection connection) throws SQLException {
        State now = state(connection);
        if (now == null) {
            return true;
        }
        if (!now.name.equals("returning")) {
            step(connection, BEGIN_RETURN);
        } else if (now.unsent == 0) {
            step(connection, FINISH_RETURN);
        }
        return false;
    }

    private static boolean isAlone(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(OTHERS);
                ResultSet row = select.executeQuery()) {
            return row.next() && row.getLong(1) == 0;
        }
    }

    /** One of four is killed while PostgreSQL does it, or a moment later. */
    private void step(Connection connection, String sql) throws SQLException {
        if (random.nextInt(4) == 0) {
            int millis = random.nextInt(100);
            Thread killer = new Thread(() -> abort(connection, millis), "chaos-adopter-killer");
            killer.setDaemon(true);
            killer.start();
        }
        run(connection, sql);
    }

    private void abort(Connection connection, int millis) {
        Wait.between(new Random(millis), millis, millis + 1);
        try {
            connection.abort(Runnable::run);
        } catch (SQLException closed) {
            world.events().add("the adopter was gone already: " + closed.getMessage());
        }
    }

    /** Statements that go to the server together are one transaction. */
    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(BEFORE + sql + AFTER);
        }
    }

    @Override
    public void close() {
        stopped = true;
    }
}
