package org.pgbaton.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.pgbaton.embedded.PostgresServer;

/** How many statements per second a process sends while nothing happens, counted in the server's log. */
public final class StatementCount {
    private final PostgresServer server;
    private final int seconds;

    /** @param seconds how long to count */
    public StatementCount(PostgresServer server, int seconds) {
        this.server = server;
        this.seconds = seconds;
    }

    /** @return statements per second of the processes whose application name contains one of these */
    public double perSecond(List<String> names) throws IOException, InterruptedException, SQLException {
        Path log = server.logFile();
        set("all");
        long from = Files.size(log);
        TimeUnit.SECONDS.sleep(seconds);
        long to = Files.size(log);
        set("none");
        byte[] bytes = Files.readAllBytes(log);
        String text = new String(bytes, (int) from, (int) (to - from), java.nio.charset.StandardCharsets.UTF_8);
        long statements = text.lines()
                // Empty statements come from a pool that checks whether its connection is alive.
                .filter(line -> line.matches(".*(LOG:  statement: .+|LOG:  execute [^:]*: .+)"))
                .filter(line -> names.stream()
                        .anyMatch(name -> line.startsWith("[")
                                && line.substring(0, line.indexOf(']')).endsWith(name)))
                .count();
        return statements / (double) seconds;
    }

    private void set(String what) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET log_statement = '" + what + "'");
            statement.execute("SELECT pg_reload_conf()");
        }
    }
}
