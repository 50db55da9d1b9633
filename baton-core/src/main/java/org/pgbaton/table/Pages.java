package org.pgbaton.table;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.SchemaName;
import org.pgbaton.log.Message;
import org.pgbaton.session.DatabaseAccess;

/**
 * The messages of a {@link PagedReading}, a page at a time. Where there is a filter, a statement looks at a limited range of
 * positions, which grows while little is found; so none runs for minutes, however rare what it looks for.
 */
final class Pages implements Iterator<Message> {
    /** Where the connection for a page comes from. */
    interface Source {
        void call(DatabaseAccess.Work<Boolean> work) throws SQLException;
    }

    private static final long FIRST_RANGE = 10_000;
    private static final long WIDEST_RANGE = 1_000_000;
    private static final long HEAVY = 8 << 20;
    /** Rows that the driver holds at once, each with a body of some tens of kilobytes at most. */
    private static final int FETCHED_AT_ONCE = 100;

    private final Source source;
    private final LogTable table;
    private final PagedReading reading;
    private final String sql;
    private final SchemaName schema;
    private final Queue<Message> page = new ArrayDeque<>();
    private long low;
    private long high;
    private long range;
    private long left;
    private boolean begun;

    Pages(Source source, SchemaName schema, LogTable table, PagedReading reading) {
        this.source = source;
        this.schema = schema;
        this.table = table;
        this.reading = reading;
        this.sql = sql(LogSql.page(
                reading.stream() != null,
                reading.isBackwards(),
                !reading.types().isEmpty(),
                reading.keyPrefix() != null));
        this.low = reading.isBackwards() ? 0 : reading.start();
        this.high = reading.isBackwards() ? reading.start() : Long.MAX_VALUE;
        this.range = reading.isFiltered() && reading.stream() == null ? FIRST_RANGE : Long.MAX_VALUE;
        this.left = reading.limit();
    }

    @Override
    public boolean hasNext() {
        while (page.isEmpty() && left > 0 && low <= high) {
            try {
                source.call(this::fill);
            } catch (SQLException failure) {
                throw DatabaseException.of("read log '" + table.name() + "'", failure);
            }
        }
        return !page.isEmpty();
    }

    @Override
    public Message next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return page.remove();
    }

    private boolean fill(Connection connection) throws SQLException {
        if (!begun) {
            narrow(connection);
            begun = true;
        }
        if (low <= high) {
            long from = reading.isBackwards() ? high - Math.min(range - 1, high - low) : low;
            long to = reading.isBackwards() ? high : low + Math.min(range - 1, high - low);
            boolean all = fetch(connection, from, to);
            if (all && reading.isBackwards()) {
                high = from - 1;
            } else if (all) {
                low = to == Long.MAX_VALUE ? to : to + 1;
                high = to == Long.MAX_VALUE ? 0 : high;
            }
            range = all && range <= WIDEST_RANGE / 2 ? range * 2 : range;
        }
        return true;
    }

    /** Narrows what is to be read to the positions at which there can be something. */
    private void narrow(Connection connection) throws SQLException {
        if (reading.isCareful()) {
            high = Math.min(high, SettledEnd.find(connection, table, reading.patience()));
        }
        if (reading.isFiltered() && reading.stream() == null) {
            low = Math.max(low, number(connection, LogSql.FIRST_FROM, low));
            high = Math.min(high, number(connection, LogSql.LAST, null));
        }
    }

    private long number(Connection connection, String statement, @Nullable Long parameter) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql(statement))) {
            if (parameter != null) {
                select.setLong(1, parameter);
            }
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** @return whether everything in that range has been read */
    private boolean fetch(Connection connection, long from, long to) throws SQLException {
        long most = Math.min(reading.pageSize(), left);
        int taken = 0;
        long weight = 0;
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setFetchSize(FETCHED_AT_ONCE);
            bind(select, connection, from, to, most);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    Message message = MessageRow.read(row, connection, table.table());
                    page.add(message);
                    pass(message);
                    taken++;
                    weight += message.payload().length;
                    if (weight > HEAVY) {
                        return false;
                    }
                }
            }
        }
        return taken < most;
    }

    private void bind(PreparedStatement select, Connection connection, long from, long to, long most)
            throws SQLException {
        int parameter = 1;
        select.setLong(parameter++, from);
        select.setLong(parameter++, to);
        if (reading.stream() != null) {
            select.setString(parameter++, reading.stream());
        }
        if (!reading.types().isEmpty()) {
            select.setArray(
                    parameter++,
                    connection.createArrayOf("text", reading.types().toArray()));
        }
        if (reading.keyPrefix() != null) {
            select.setString(parameter++, reading.keyPrefix());
        }
        select.setLong(parameter, most);
    }

    private void pass(Message message) {
        left--;
        Long version = message.version();
        long place = reading.stream() != null && version != null ? version : message.position();
        if (reading.isBackwards()) {
            high = place - 1;
        } else {
            low = place + 1;
        }
    }

    private String sql(String statement) {
        return schema.in(statement.replace("${log}", table.table()));
    }
}
