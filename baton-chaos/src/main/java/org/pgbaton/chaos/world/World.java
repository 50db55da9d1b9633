package org.pgbaton.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.targets.Brokers;
import org.pgbaton.chaos.targets.Target;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.worker.WorkerProgram;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * What a round happens in: a PostgreSQL, a database of its own, a proxy between it and the processes of Baton, those processes, and
 * their targets. Faults do something to one of them; scenarios start something in them.
 *
 * <p>Not thread-safe, but for {@link #events}.
 */
final class World implements AutoCloseable {
    static final int WORKERS = 3;
    static final Duration SOON = Duration.ofSeconds(30);
    /** The role of the processes of Baton, so that a fault can meet them alone. */
    static final String USER = "chaos";

    /** Rows whose last change is not in the log of the capture. */
    private static final String UNCAPTURED = """
            SELECT count(*) FROM public.account a
             WHERE a.version > (SELECT coalesce(max((e.payload->'after'->>'version')::bigint), 0) FROM baton.account e WHERE e.key = a.key)""";

    private final TestServer server;
    private final IdleProcesses idle;
    private final TestDatabase database;
    private final Proxy proxy;
    private final Scenario scenario;
    private final List<Target> targets = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private final List<History.Claim> claims = new ArrayList<>();
    private final Events events = new Events();
    private final List<AutoCloseable> last = new ArrayList<>();
    /** Is there when a planned moment has come. */
    private final Path failpoint;

    World(TestServer server, Brokers brokers, IdleProcesses idle, Scenario scenario) throws Exception {
        this.server = server;
        this.idle = idle;
        this.scenario = scenario;
        this.database = server.newDatabase();
        this.proxy = new Proxy(server);
        this.failpoint = Path.of(System.getProperty("java.io.tmpdir"), "baton-failpoint-" + UUID.randomUUID());
        database.execute("DO $$ BEGIN CREATE ROLE " + USER
                + " SUPERUSER REPLICATION LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
        scenario.prepare(this);
        // Unlike any name of another campaign with the same broker.
        String name = database.name() + "-" + Long.toString(System.nanoTime(), 36);
        for (Part part : scenario.parts()) {
            if (part.hasTarget()) {
                targets.add(brokers.open(part, name));
            }
        }
        for (int i = 0; i < WORKERS; i++) {
            workers.add(start("worker-" + i));
        }
        for (Worker worker : workers) {
            worker.awaitRunning();
        }
    }

    /** Another process, which whoever started it has to close. */
    Worker start(String name) throws IOException {
        return start(List.of(), proxy.url(database, USER), name, null);
    }

    private Worker start(List<String> prefix, String url, String name, @Nullable String plan) throws IOException {
        List<String> arguments = new ArrayList<>();
        if (plan != null) {
            arguments.add("-Dbaton.failpoint=" + plan);
            arguments.add("-Dbaton.failpoint.file=" + failpoint);
        }
        arguments.add("-D" + WorkerProgram.LOG + "=" + scenario.log());
        for (Part part : scenario.parts()) {
            String address = targets.stream()
                    .filter(target -> target.part() == part)
                    .map(target -> "=" + target.address())
                    .findFirst()
                    .orElse("");
            arguments.add(part.name() + address);
        }
        return prefix.isEmpty() && plan == null
                ? Worker.start(idle, url, name, arguments)
                : Worker.start(prefix, url, name, arguments);
    }

    Scenario scenario() {
        return scenario;
    }

    TestServer server() {
        return server;
    }

    TestDatabase database() {
        return database;
    }

    Proxy proxy() {
        return proxy;
    }

    List<Target> targets() {
        return targets;
    }

    /** What workers said of themselves. */
    List<History.Claim> claims() {
        return List.copyOf(claims);
    }

    /** @param during what they cannot work with */
    void askForHealth(String during) throws IOException, InterruptedException {
        for (Worker worker : workers) {
            askForHealth(worker, during);
        }
    }

    void askForHealth(Worker worker, String during) throws IOException, InterruptedException {
        if (worker.isAlive()) {
            claims.add(new History.Claim(events.millis(), worker.name(), worker.health(), during));
        }
    }

    /** Handlers and endpoints refuse these keys from now on, and no others. */
    void fail(Set<String> keys) throws SQLException {
        database.execute("TRUNCATE public.failing");
        for (String key : keys) {
            database.execute("INSERT INTO public.failing VALUES ('" + key + "')");
        }
        targets.forEach(target -> target.refuse(keys));
    }

    Events events() {
        return events;
    }

    List<Worker> workers() {
        return workers;
    }

    /** Another one in the place of one that is dead. */
    void replace(int number) throws IOException, InterruptedException {
        replace(number, List.of(), null);
        workers.get(number).awaitRunning();
    }

    /** Another one, whose clock is wrong. */
    void replaceWithClock(int number, int secondsOff) throws IOException, InterruptedException {
        replace(number, FalseTime.off(secondsOff), null);
        workers.get(number).awaitRunning();
    }

    /** Another one, which something happens to at a moment inside: see {@code Failpoint}. It may not even come to be running. */
    void replaceWithPlan(int number, String plan) throws IOException {
        Files.deleteIfExists(failpoint);
        replace(number, List.of(), plan);
    }

    private void replace(int number, List<String> prefix, @Nullable String plan) throws IOException {
        workers.get(number).close();
        workers.set(number, start(prefix, proxy.url(database, USER), "worker-" + number, plan));
    }

    /** Another one, which has PostgreSQL at the other end of a cable, and no proxy between. It is not running yet. */
    Cable replaceBehindCable(int number) throws IOException, SQLException, InterruptedException {
        Cable cable = Cable.lay(number, server.postgres().port());
        closeAtTheEnd(cable);
        Files.writeString(
                server.postgres().dataDirectory().resolve("pg_hba.conf"),
                "host all all " + cable.farAddress() + "/32 trust\n",
                StandardOpenOption.APPEND);
        database.one("SELECT pg_reload_conf()");
        workers.get(number).close();
        workers.set(number, start(cable.atTheFarEnd(), database.urlFor(USER), "worker-" + number, null));
        return cable;
    }

    /** Something that has to go when the processes and the database are gone. */
    void closeAtTheEnd(AutoCloseable something) {
        last.add(something);
    }

    /** @return whether it came to the moment that was planned for it */
    boolean awaitFailpoint() throws InterruptedException {
        return await(Duration.ofSeconds(8), () -> Files.exists(failpoint)) != null;
    }

    /** A setting of the processes of Baton alone, for sessions that begin from now on; those that are there are ended. */
    void set(String setting, String value) throws SQLException {
        alter("SET " + setting + " = " + value);
    }

    void reset(String setting) throws SQLException {
        alter("RESET " + setting);
    }

    private void alter(String what) throws SQLException {
        database.execute("ALTER ROLE " + USER + " IN DATABASE " + database.name() + " " + what);
        database.one(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND usename = ?",
                USER);
    }

    /** What waits to be handled, in rows; 0 also means that no key is set aside, and that captures have come to the end. */
    long backlog() throws SQLException {
        // First what comes first: a change that is captured in between waits for its subscription.
        long before = scenario.has(Part.CAPTURE) ? Long.parseLong(database.one(UNCAPTURED)) : 0;
        before += scenario == Scenario.ADOPTION ? OldOutbox.left(this) : 0;
        return before
                + Long.parseLong(
                        database.one(
                                "SELECT coalesce(sum(lag_positions + set_aside_keys + parked_keys), 0) FROM baton.subscription_status WHERE live"));
    }

    /** @return how long it took; null if it did not come true in time */
    @Nullable
    static Duration await(Duration atMost, Callable<Boolean> condition) throws InterruptedException {
        long begun = System.nanoTime();
        while (true) {
            try {
                if (condition.call()) {
                    return Duration.ofNanos(System.nanoTime() - begun);
                }
            } catch (InterruptedException told) {
                throw told;
            } catch (Exception notNow) {
                // A server that restarts refuses; whoever waits goes on waiting.
            }
            if (System.nanoTime() - begun > atMost.toNanos()) {
                return null;
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** For each row of a statement. */
    interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    void each(String sql, RowReader reader) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                reader.read(row);
            }
        }
    }

    private void leave() {
        try {
            for (Worker worker : workers) {
                worker.leave(idle);
            }
        } catch (InterruptedException told) {
            workers.forEach(Worker::close);
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        leave();
        try {
            proxy.close();
        } catch (IOException closed) {
            // That is what we wanted.
        }
        targets.forEach(Target::close);
        failpoint.toFile().delete(); // if it is there
        database.close();
        for (AutoCloseable each : last) {
            try {
                each.close();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }
    }
}
