package org.pgbaton.publication;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pgbaton.pgoutput.Operation;
import org.pgbaton.session.Sql;

/**
 * Everything that decides which changes are sent, at one time: what the publication contains, which tables have the names, their replica
 * identities, the files of partitions. Others can change any of it, and the stream does not say so; therefore two states are compared. The last
 * state is recorded in the table {@code capture_basis}. Immutable.
 */
public final class PublicationState {
    static final String OPERATIONS = "operations";
    static final String ROOT = "root";
    static final String TABLE = "table";
    static final String PUBLISHED = "published";
    static final String FILTER = "filter";
    static final String COLUMNS = "columns";
    static final String IDENTITY = "identity";
    static final String FILE = "file";

    /** @param subject the full name of a table, the number of a partition, or empty for the publication */
    record Item(String subject, String aspect) implements Comparable<Item> {
        @Override
        public int compareTo(Item other) {
            int bySubject = subject.compareTo(other.subject);
            return bySubject == 0 ? aspect.compareTo(other.aspect) : bySubject;
        }
    }

    /** @param changedBy the transaction that last changed the partition's entry in the catalog; not compared */
    record Partition(String name, long changedBy) {}

    private final Map<Item, String> states;
    private final Map<String, Partition> partitions;

    private PublicationState(Map<Item, String> states, Map<String, Partition> partitions) {
        this.states = states;
        this.partitions = partitions;
    }

    /** The least that is known of a capture whose state was not recorded. */
    public static PublicationState expected(List<String> tables, List<String> operations) {
        Map<Item, String> states = new TreeMap<>();
        states.put(new Item("", OPERATIONS), String.join(", ", operations));
        tables.forEach(table -> states.put(new Item(table, PUBLISHED), "yes"));
        return new PublicationState(states, Map.of());
    }

    static PublicationState recorded(Connection connection, Sql sql, String capture) throws SQLException {
        Map<Item, String> states = new TreeMap<>();
        sql.all(
                connection,
                PublicationSql.RECORDED_STATE,
                row -> states.put(new Item(row.getString(1), row.getString(2)), row.getString(3)),
                capture);
        return new PublicationState(states, Map.of());
    }

    /** The state of the same tables now. */
    PublicationState now(Connection connection, Sql sql, CapturePlan plan) throws SQLException {
        Map<String, Long> numbers = new LinkedHashMap<>();
        states.forEach((item, state) -> {
            if (item.aspect.equals(TABLE)) {
                numbers.put(item.subject, Long.parseLong(state));
            } else if (item.aspect.equals(PUBLISHED)) {
                numbers.putIfAbsent(item.subject, 0L);
            }
        });
        return read(connection, sql, plan, numbers);
    }

    public static PublicationState of(Connection connection, Sql sql, CapturePlan plan, List<PublishedTable> tables)
            throws SQLException {
        Map<String, Long> numbers = new LinkedHashMap<>();
        tables.forEach(table -> numbers.put(table.quoted(), table.oid()));
        return read(connection, sql, plan, numbers);
    }

    private static PublicationState read(Connection connection, Sql sql, CapturePlan plan, Map<String, Long> numbers)
            throws SQLException {
        Map<Item, String> states = new TreeMap<>();
        Map<String, Partition> partitions = new HashMap<>();
        sql.all(
                connection,
                PublicationSql.STATE,
                row -> {
                    if (row.getString(2).equals(FILE)) {
                        partitions.put(row.getString(1), new Partition(row.getString(4), row.getLong(5)));
                    }
                    return states.put(new Item(row.getString(1), row.getString(2)), row.getString(3));
                },
                plan.publication(),
                Sql.texts(numbers.keySet()),
                Sql.longs(numbers.values(), number -> number),
                plan.operations().contains(Operation.TRUNCATE));
        return new PublicationState(states, partitions);
    }

    /** Replaces the recorded state. */
    public void record(Connection connection, Sql sql, String capture) throws SQLException {
        sql.run(connection, PublicationSql.FORGET_STATE, capture);
        sql.run(
                connection,
                PublicationSql.RECORD_STATE,
                capture,
                Sql.texts(states.keySet(), Item::subject),
                Sql.texts(states.keySet(), Item::aspect),
                Sql.texts(states.values()));
    }

    boolean isEmpty() {
        return states.isEmpty();
    }

    boolean isSame(PublicationState other) {
        return states.equals(other.states);
    }

    Map<Item, String> states() {
        return states;
    }

    @Nullable
    Partition partition(String number) {
        return partitions.get(number);
    }
}
