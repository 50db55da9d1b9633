package org.pgbaton.dashboard.look;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.http.RefusedException;
import org.pgbaton.database.DatabaseWork;

/**
 * Reads rows of Baton's tables, on an ordinary connection, in a transaction that reads only and whose statements have a time limit: a look
 * must never become a load. Only a few are read at the same time. Thread-safe.
 */
public final class Rows {
    private static final Duration LIMIT = Duration.ofSeconds(3);

    /** Longer than a statement may take: a server that has not answered by then is out of reach. */
    private static final Duration ANSWER = Duration.ofSeconds(8);

    private static final int AT_ONCE = 4;
    private static final Duration TURN = Duration.ofSeconds(2);

    private final Baton baton;
    private final Semaphore turns = new Semaphore(AT_ONCE, true);

    public Rows(Baton baton) {
        this.baton = baton;
    }

    /** Reads one row. */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /**
     * Runs several statements in one transaction, when it is its turn.
     *
     * @throws RefusedException if there are too many others
     */
    public <T> T inOneTransaction(String doing, DatabaseWork<T> work) {
        try {
            if (!turns.tryAcquire(TURN.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new RefusedException(503, "Too many look-ups at once: try again in a moment.");
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            throw new RefusedException(503, "The dashboard is being closed.");
        }
        try {
            return atOnce(doing, work);
        } finally {
            turns.release();
        }
    }

    /** The same without waiting for others: for what all viewers share. */
    <T> T atOnce(String doing, DatabaseWork<T> work) {
        return baton.transact(doing, ANSWER, connection -> {
            try (Statement limits = connection.createStatement()) {
                limits.execute("SET TRANSACTION READ ONLY");
                limits.execute("SET LOCAL statement_timeout = " + LIMIT.toMillis());
                limits.execute("SET LOCAL jit = off"); // compiling would take longer than the statements
            }
            return work.on(connection);
        });
    }

    /** Every row. */
    public <T> List<T> all(Connection connection, String sql, Row<T> row, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement(baton.schema().in(sql))) {
            for (int i = 0; i < parameters.length; i++) {
                if (parameters[i] instanceof String text) {
                    select.setString(i + 1, text);
                } else {
                    select.setObject(i + 1, parameters[i]);
                }
            }
            try (ResultSet rows = select.executeQuery()) {
                List<T> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(row.read(rows));
                }
                return all;
            }
        }
    }

    static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }

    static Instant instantThere(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    static List<String> texts(ResultSet row, String column) throws SQLException {
        Array array = row.getArray(column);
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }
}
