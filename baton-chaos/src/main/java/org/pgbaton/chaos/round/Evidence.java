package org.pgbaton.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What is kept of a round in which something was wrong. */
final class Evidence {
    private Evidence() {}

    static void lines(Path file, List<?> records) throws IOException {
        Files.write(file, records.stream().map(Object::toString).toList());
    }

    static void table(World world, Path folder, String name, String sql) throws IOException, SQLException {
        List<String> rows = new ArrayList<>();
        world.each(sql, row -> rows.add(row.getString(1)));
        Files.write(folder.resolve(name + ".txt"), rows);
    }

    static void threads(Path folder, Worker worker) throws IOException, InterruptedException {
        if (worker.isAlive()) {
            threads(folder, worker.name(), worker.pid());
        }
    }

    /** Those of the campaign itself, which the proxy and the writers belong to. */
    static void ownThreads(Path folder) throws IOException, InterruptedException {
        threads(folder, "campaign", ProcessHandle.current().pid());
    }

    private static void threads(Path folder, String name, long pid) throws IOException, InterruptedException {
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
