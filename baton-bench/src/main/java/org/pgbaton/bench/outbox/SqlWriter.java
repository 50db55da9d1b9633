package org.pgbaton.bench.outbox;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.BiConsumer;
import org.pgbaton.bench.arena.Options;

/** Writes to an outbox that is a table, each message in a transaction of its own, with a connection for each thread. */
final class SqlWriter implements BiConsumer<String, String> {
    private final String url;
    private final String insert;
    private final ThreadLocal<PreparedStatement> statement = ThreadLocal.withInitial(this::prepare);

    SqlWriter(Map<String, String> options) {
        this.url = Options.of(options, "url");
        this.insert = Options.of(options, "insert");
    }

    private PreparedStatement prepare() {
        try {
            Connection connection = DriverManager.getConnection(url + "&prepareThreshold=1&ApplicationName=writer");
            return connection.prepareStatement(insert);
        } catch (SQLException refused) {
            throw new IllegalStateException(refused);
        }
    }

    @Override
    public void accept(String key, String payload) {
        try {
            PreparedStatement mine = statement.get();
            mine.setString(1, key);
            mine.setString(2, payload);
            mine.executeUpdate();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
