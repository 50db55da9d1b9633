package org.pgbaton.bench.capture;

import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.IntConsumer;
import org.pgbaton.bench.arena.Options;

/** Inserts rows, each in a transaction of its own, with a connection for each thread. */
final class OrderWriter implements IntConsumer {
    private final String url;
    private final ThreadLocal<PreparedStatement> statement = ThreadLocal.withInitial(this::prepare);

    OrderWriter(Map<String, String> options) {
        this.url = Options.of(options, "url");
    }

    private PreparedStatement prepare() {
        try {
            return DriverManager.getConnection(url + "&prepareThreshold=1&ApplicationName=writer")
                    .prepareStatement(Orders.INSERT);
        } catch (SQLException refused) {
            throw new IllegalStateException(refused);
        }
    }

    @Override
    public void accept(int number) {
        try {
            PreparedStatement mine = statement.get();
            mine.setLong(1, number);
            mine.executeUpdate();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
