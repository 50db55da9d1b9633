package org.pgbaton.chaos.world;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.device.Cable;
import org.pgbaton.chaos.device.FalseTime;
import org.pgbaton.chaos.device.Proxy;
import org.pgbaton.chaos.targets.Target;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.worker.WorkerProgram;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * The processes of Baton in a round. Each has a number, and whoever replaces it has its name.
 *
 * <p>Not thread-safe.
 */
public final class Workers implements Iterable<Worker> {
    public static final int COUNT = 3;
    /** Their role in the database, so that a fault can meet them alone. */
    public static final String USER = "chaos";

    private static final Duration FAILPOINT = Duration.ofSeconds(8);

    private final IdleProcesses idle;
    private final TestServer server;
    private final TestDatabase database;
    private final Proxy proxy;
    private final Scenario scenario;
    private final List<Target> targets;
    private final List<Worker> workers = new ArrayList<>();
    private final List<Cable> cables = new ArrayList<>();
    /** Is there when a planned moment has come. */
    private final Path failpoint =
            Path.of(System.getProperty("java.io.tmpdir"), "baton-failpoint-" + UUID.randomUUID());

    Workers(
            IdleProcesses idle,
            TestServer server,
            TestDatabase database,
            Proxy proxy,
            Scenario scenario,
            List<Target> targets) {
        this.idle = idle;
        this.server = server;
        this.database = database;
        this.proxy = proxy;
        this.scenario = scenario;
        this.targets = targets;
    }

    /** Returns when all of them run. */
    void start() throws IOException, InterruptedException {
        for (int i = 0; i < COUNT; i++) {
            workers.add(start(name(i)));
        }
        awaitRunning();
    }

    /** Another process, which whoever started it has to close. */
    public Worker start(String name) throws IOException {
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

    private static String name(int number) {
        return "worker-" + number;
    }

    public Worker get(int number) {
        return workers.get(number);
    }

    public Worker any(Random random) {
        return workers.get(random.nextInt(workers.size()));
    }

    @Override
    public Iterator<Worker> iterator() {
        return Collections.unmodifiableList(workers).iterator();
    }

    public void awaitRunning() throws InterruptedException {
        for (Worker worker : workers) {
            worker.awaitRunning();
        }
    }

    /** Starts another one in the place of one that is dead. */
    public void replace(int number) throws IOException, InterruptedException {
        replace(number, List.of(), null);
        workers.get(number).awaitRunning();
    }

    /** Starts another one in the place of each, one after the other. */
    public void replaceAll() throws IOException, InterruptedException {
        for (int i = 0; i < COUNT; i++) {
            replace(i);
        }
    }

    /** Starts another one, whose clock is wrong. */
    public void replaceWithClock(int number, int secondsOff) throws IOException, InterruptedException {
        replace(number, FalseTime.off(secondsOff), null);
        workers.get(number).awaitRunning();
    }

    /** Starts another one, which something happens to at a moment inside: see {@code Failpoint}. It may not even come to be running. */
    public void replaceWithPlan(int number, String plan) throws IOException {
        Files.deleteIfExists(failpoint);
        replace(number, List.of(), plan);
    }

    /** @return whether the planned moment came */
    public boolean awaitFailpoint() throws InterruptedException {
        return Wait.until(FAILPOINT, () -> Files.exists(failpoint)) != null;
    }

    private void replace(int number, List<String> prefix, @Nullable String plan) throws IOException {
        replace(number, prefix, proxy.url(database, USER), plan);
    }

    private void replace(int number, List<String> prefix, String url, @Nullable String plan) throws IOException {
        workers.get(number).close();
        workers.set(number, start(prefix, url, name(number), plan));
    }

    /** Starts another one, which has PostgreSQL at the other end of a cable, and no proxy between. It is not running yet. */
    public Cable replaceBehindCable(int number) throws IOException, SQLException, InterruptedException {
        Cable cable = Cable.lay(number, server.postgres().port());
        cables.add(cable);
        Files.writeString(
                server.postgres().dataDirectory().resolve("pg_hba.conf"),
                "host all all " + cable.farAddress() + "/32 trust\n",
                StandardOpenOption.APPEND);
        database.one("SELECT pg_reload_conf()");
        replace(number, cable.atTheFarEnd(), database.urlFor(USER), null);
        return cable;
    }

    /** Ends what they do. Processes that can be used again are left to the next round. */
    void leave() {
        try {
            for (Worker worker : workers) {
                worker.leave(idle);
            }
        } catch (InterruptedException told) {
            workers.forEach(Worker::close);
            Thread.currentThread().interrupt();
        }
        failpoint.toFile().delete(); // if it is there
    }

    void removeCables() {
        cables.forEach(Cable::close);
    }
}
