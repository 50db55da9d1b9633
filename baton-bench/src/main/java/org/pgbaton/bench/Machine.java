package org.pgbaton.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.stream.Stream;
import org.pgbaton.embedded.PostgresServer;

/** Describes the machine on which the numbers were measured. */
public final class Machine {
    private Machine() {}

    public static String versionOf(PostgresServer server) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl("postgres"))) {
            return "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion();
        }
    }

    public static String description() {
        return Runtime.getRuntime().availableProcessors() + " cores (" + processor() + "), " + memory() + "Java "
                + Runtime.version().feature() + ", " + System.getProperty("os.name") + ", loopback TCP";
    }

    private static String processor() {
        return firstLine("/proc/cpuinfo", "model name").replaceFirst(".*:\\s*", "");
    }

    private static String memory() {
        String digits = firstLine("/proc/meminfo", "MemTotal").replaceAll("\\D", "");
        return digits.isEmpty() ? "" : String.format(Locale.ROOT, "%.0f GiB, ", Long.parseLong(digits) / 1048576.0);
    }

    private static String firstLine(String file, String start) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(start)).findFirst().orElse(System.getProperty("os.arch"));
        } catch (IOException elsewhere) {
            return System.getProperty("os.arch");
        }
    }
}
