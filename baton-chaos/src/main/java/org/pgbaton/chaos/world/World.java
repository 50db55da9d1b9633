package org.pgbaton.chaos.world;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.chaos.device.Proxy;
import org.pgbaton.chaos.history.Events;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.targets.Brokers;
import org.pgbaton.chaos.targets.Target;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * The place of a round: a PostgreSQL, a database of its own, a proxy between it and the processes of Baton, those processes, and their
 * targets. A fault does something to one of them.
 *
 * <p>Not thread-safe, but for {@link #events}.
 */
public final class World implements AutoCloseable {
    /** Rows whose last change is not in the log of the capture. */
    private static final String UNCAPTURED = """
            SELECT count(*) FROM public.account a
             WHERE a.version > (SELECT coalesce(max((e.payload->'after'->>'version')::bigint), 0) FROM baton.account e WHERE e.key = a.key)""";

    private static final String UNHANDLED =
            "SELECT coalesce(sum(lag_positions + set_aside_keys + parked_keys), 0) FROM baton.subscription_status WHERE live";

    private final TestServer server;
    private final TestDatabase database;
    private final Proxy proxy;
    private final Scenario scenario;
    private final List<Target> targets = new ArrayList<>();
    private final Workers workers;
    private final List<History.Claim> claims = new ArrayList<>();
    private final Events events = new Events();
    private final List<AutoCloseable> last = new ArrayList<>();

    /** Returns when the processes run. */
    public World(TestServer server, Brokers brokers, IdleProcesses idle, Scenario scenario) throws Exception {
        this.server = server;
        this.scenario = scenario;
        this.database = server.newDatabase();
        this.proxy = new Proxy(server);
        this.workers = new Workers(idle, server, database, proxy, scenario, targets);
        database.execute("DO $$ BEGIN CREATE ROLE " + Workers.USER
                + " SUPERUSER REPLICATION LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
        RoundTables.create(database, scenario);
        // Unlike any name of another campaign with the same broker.
        String name = database.name() + "-" + Long.toString(System.nanoTime(), 36);
        for (Part part : scenario.parts()) {
            if (part.hasTarget()) {
                targets.add(brokers.open(part, name));
            }
        }
        workers.start();
    }

    public Scenario scenario() {
        return scenario;
    }

    public TestServer server() {
        return server;
    }

    public TestDatabase database() {
        return database;
    }

    public Proxy proxy() {
        return proxy;
    }

    public List<Target> targets() {
        return targets;
    }

    public Workers workers() {
        return workers;
    }

    public Events events() {
        return events;
    }

    /** What workers said of themselves. */
    public List<History.Claim> claims() {
        return List.copyOf(claims);
    }

    /** @param during what they cannot work with; empty: all is well */
    public void askForHealth(String during) throws IOException, InterruptedException {
        for (Worker worker : workers) {
            askForHealth(worker, during);
        }
    }

    public void askForHealth(Worker worker, String during) throws IOException, InterruptedException {
        if (worker.isAlive()) {
            claims.add(new History.Claim(events.millis(), worker.name(), worker.health(), during));
        }
    }

    /** Closes something when the processes and the database are gone. */
    public void closeAtTheEnd(AutoCloseable something) {
        last.add(something);
    }

    /** How many rows wait to be handled; 0 also means that no key is set aside, and that captures have come to the end. */
    public long backlog() throws SQLException {
        // The order matters: a change that is captured between the two looks then waits for its subscription.
        long before = scenario.has(Part.CAPTURE) ? Long.parseLong(database.one(UNCAPTURED)) : 0;
        before += scenario == Scenario.ADOPTION ? OldOutbox.left(database) : 0;
        return before + Long.parseLong(database.one(UNHANDLED));
    }

    @Override
    public void close() {
        workers.leave();
        try {
            proxy.close();
        } catch (IOException closed) {
            // That is what we wanted.
        }
        targets.forEach(Target::close);
        database.close();
        workers.removeCables();
        for (AutoCloseable each : last) {
            try {
                each.close();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }
    }
}
