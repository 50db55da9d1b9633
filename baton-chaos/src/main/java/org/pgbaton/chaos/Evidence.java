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
        if (!worker.isAlive()) {
            return;
        }
        Path jstack = Path.of(System.getProperty("java.home"), "bin", "jstack");
        if (Files.isExecutable(jstack)) {
            new ProcessBuilder(jstack.toString(), Long.toString(worker.pid()))
                    .redirectErrorStream(true)
                    .redirectOutput(
                            folder.resolve("threads-" + worker.name() + ".txt").toFile())
                    .start()
                    .waitFor(10, TimeUnit.SECONDS);
        }
    }
}
