package org.pgbaton.chaos.round;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.world.Rows;
import org.pgbaton.chaos.world.Worker;
import org.pgbaton.chaos.world.World;

/**
 * What is kept of a round with a violation: its story, the history that was judged, and the state of the database and of all processes at
 * that moment. Each is a file.
 */
final class Evidence {
    private static final Map<String, String> TABLES = tables();

    private final Path folder;

    private Evidence(Path folder) {
        this.folder = folder;
    }

    private static Map<String, String> tables() {
        Map<String, String> tables = new LinkedHashMap<>();
        tables.put("pg_locks", "SELECT l::text FROM pg_locks l");
        tables.put("pg_stat_activity", "SELECT a::text FROM pg_stat_activity a");
        tables.put("subscriptions", "SELECT s::text FROM baton.subscription_status s");
        tables.put("lanes", "SELECT l::text FROM baton.lane_status l");
        tables.put("parked", "SELECT p::text FROM baton.parked p");
        tables.put("captures", "SELECT c::text FROM baton.capture c");
        tables.put("slots", "SELECT s::text FROM pg_replication_slots s");
        tables.put("pg_stat_replication", "SELECT r::text FROM pg_stat_replication r");
        return tables;
    }

    /** @return the folder */
    static Path write(Path folder, List<String> story, History history, World world)
            throws IOException, SQLException, InterruptedException {
        Evidence evidence = new Evidence(Files.createDirectories(folder));
        Files.write(folder.resolve("story.txt"), story);
        evidence.history(history);
        for (Map.Entry<String, String> table : TABLES.entrySet()) {
            evidence.rows(world, table.getKey(), table.getValue());
        }
        for (Worker worker : world.workers()) {
            if (worker.isAlive()) {
                evidence.threads(worker.name(), worker.pid());
            }
        }
        // The proxy and the writers are threads of the campaign itself.
        evidence.threads("campaign", ProcessHandle.current().pid());
        Files.copy(world.server().postgres().logFile(), folder.resolve("postgres.log"));
        return folder;
    }

    private void history(History history) throws IOException {
        lines("written", history.written());
        lines("effects", history.effects());
        lines("arrivals", history.arrivals());
        lines("captured", history.captured());
        lines("adopted-rows", history.adoption().rows());
        lines("adopted-handled", history.adoption().handled());
        lines("adopted-skipped", history.adoption().skipped());
        lines("claims", history.claims());
        lines("guarded", history.guarded());
        lines("samples", history.samples());
    }

    private void lines(String name, List<?> records) throws IOException {
        Files.write(
                folder.resolve(name + ".txt"),
                records.stream().map(Object::toString).toList());
    }

    private void rows(World world, String name, String sql) throws IOException, SQLException {
        List<String> rows = new ArrayList<>();
        Rows.each(world.database(), sql, row -> rows.add(row.getString(1)));
        lines(name, rows);
    }

    private void threads(String name, long pid) throws IOException, InterruptedException {
        Path jstack = Path.of(System.getProperty("java.home"), "bin", "jstack");
        if (Files.isExecutable(jstack)) {
            new ProcessBuilder(jstack.toString(), Long.toString(pid))
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("threads-" + name + ".txt").toFile())
                    .start()
                    .waitFor(10, TimeUnit.SECONDS);
        }
    }
}
