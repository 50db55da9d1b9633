package org.pgbaton.capture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.SchemaName;

/**
 * What a capture rests on: what the publication sends, which tables stand behind the names, how much of an old row they tell, and the
 * files of partitions. Somebody else can change any of it, and the stream says nothing about it; so it is compared. Immutable.
 */
final class Basis {
    static final String OPERATIONS = "operations";
    static final String ROOT = "root";
    static final String TABLE = "table";
    static final String PUBLISHED = "published";
    static final String FILTER = "filter";
    static final String COLUMNS = "columns";
    static final String IDENTITY = "identity";
    static final String FILE = "file";

    /** @param subject a table's full name; empty: the publication; a number: a partition */
    record Item(String subject, String aspect) implements Comparable<Item> {
        @Override
        public int compareTo(Item other) {
            int bySubject = subject.compareTo(other.subject);
            return bySubject == 0 ? aspect.compareTo(other.aspect) : bySubject;
        }
    }

    /** @param by of a partition the transaction that has last changed its entry in the catalog; not compared */
    private record Partition(String name, long by) {}

    private final Map<Item, String> states;
    private final Map<String, Partition> partitions;

    private Basis(Map<Item, String> states, Map<String, Partition> partitions) {
        this.states = states;
        this.partitions = partitions;
    }

    /** Of a capture whose basis nobody has recorded: at least this was so. */
    static Basis expected(List<String> tables, List<String> operations) {
        Map<Item, String> states = new TreeMap<>();
        states.put(new Item("", OPERATIONS), String.join(", ", operations));
        tables.forEach(table -> states.put(new Item(table, PUBLISHED), "yes"));
        return new Basis(states, Map.of());
    }

    static Basis recorded(Connection connection, SchemaName schema, String capture) throws SQLException {
        Map<Item, String> states = new TreeMap<>();
        try (PreparedStatement select = connection.prepareStatement(schema.in(CaptureSql.RECORDED_BASIS))) {
            select.setString(1, capture);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    states.put(new Item(row.getString(1), row.getString(2)), row.getString(3));
                }
            }
        }
        return new Basis(states, Map.of());
    }

    /** As it is now, of the same tables. */
    Basis now(Connection connection, Plan plan) throws SQLException {
        Map<String, Long> numbers = new LinkedHashMap<>();
        states.forEach((item, state) -> {
            if (item.aspect.equals(TABLE)) {
                numbers.put(item.subject, Long.parseLong(state));
            } else if (item.aspect.equals(PUBLISHED)) {
                numbers.putIfAbsent(item.subject, 0L);
            }
        });
        return read(connection, plan, numbers);
    }

    static Basis of(Connection connection, Plan plan, List<Table> tables) throws SQLException {
        Map<String, Long> numbers = new LinkedHashMap<>();
        tables.forEach(table -> numbers.put(table.quoted(), table.oid()));
        return read(connection, plan, numbers);
    }

    private static Basis read(Connection connection, Plan plan, Map<String, Long> numbers) throws SQLException {
        Map<Item, String> states = new TreeMap<>();
        Map<String, Partition> partitions = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement(CaptureSql.BASIS)) {
            select.setString(1, plan.publication());
            select.setArray(2, connection.createArrayOf("text", numbers.keySet().toArray()));
            select.setArray(
                    3, connection.createArrayOf("bigint", numbers.values().toArray()));
            select.setBoolean(4, plan.operations().contains(Operation.TRUNCATE));
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    states.put(new Item(row.getString(1), row.getString(2)), row.getString(3));
                    if (row.getString(2).equals(FILE)) {
                        partitions.put(row.getString(1), new Partition(row.getString(4), row.getLong(5)));
                    }
                }
            }
        }
        return new Basis(states, partitions);
    }

    void record(Connection connection, SchemaName schema, String capture) throws SQLException {
        List<String> subjects = new ArrayList<>();
        List<String> aspects = new ArrayList<>();
        states.keySet().forEach(item -> {
            subjects.add(item.subject);
            aspects.add(item.aspect);
        });
        try (PreparedStatement forget = connection.prepareStatement(schema.in(CaptureSql.FORGET_BASIS));
                PreparedStatement insert = connection.prepareStatement(schema.in(CaptureSql.RECORD_BASIS))) {
            forget.setString(1, capture);
            forget.executeUpdate();
            insert.setString(1, capture);
            insert.setArray(2, connection.createArrayOf("text", subjects.toArray()));
            insert.setArray(3, connection.createArrayOf("text", aspects.toArray()));
            insert.setArray(4, connection.createArrayOf("text", states.values().toArray()));
            insert.executeUpdate();
        }
    }

    boolean isEmpty() {
        return states.isEmpty();
    }

    boolean isSame(Basis other) {
        return states.equals(other.states);
    }

    /**
     * A gap that follows from the difference of two.
     *
     * @param table null: all
     * @param suspect the transaction that may explain it; 0: nothing does
     */
    record Gap(@Nullable String table, String what, long suspect) {}

    /** What is missing now that was there. What is there in addition is no gap. */
    List<Gap> gaps(Basis now, Plan plan) {
        List<Gap> gaps = new ArrayList<>();
        states.forEach((item, was) -> {
            String is = now.states.get(item);
            if (is != null && !is.equals(was)) {
                Gap gap = gap(item, was, is, now, plan);
                if (gap != null) {
                    gaps.add(gap);
                }
            }
        });
        return gaps;
    }

    private @Nullable Gap gap(Item item, String was, String is, Basis now, Plan plan) {
        String publication = "the publication '" + plan.publication() + "' ";
        boolean sameTable = Objects.equals(
                states.get(new Item(item.subject, TABLE)), now.states.get(new Item(item.subject, TABLE)));
        return switch (item.aspect) {
            case OPERATIONS -> narrowed(publication, was, is);
            case ROOT ->
                is.equals("true")
                        ? null
                        : new Gap(null, publication + "sent changes of partitions under the partitions' names", 0);
            case TABLE ->
                new Gap(
                        item.subject,
                        is.equals("0") ? "the table was dropped" : "the table was replaced by another of its name",
                        0);
            case PUBLISHED ->
                is.equals("yes") || !sameTable ? null : new Gap(item.subject, publication + "did not contain it", 0);
            case FILTER ->
                is.isEmpty()
                        ? null
                        : new Gap(
                                item.subject,
                                publication + "had another row filter: " + is + " instead of "
                                        + (was.isEmpty() ? "none" : was),
                                0);
            case COLUMNS ->
                is.isEmpty() || !sameTable
                        ? null
                        : new Gap(item.subject, publication + "had another list of columns", 0);
            case IDENTITY ->
                !sameTable || tellsAsMuch(was, is)
                        ? null
                        : new Gap(
                                item.subject,
                                "its replica identity was changed from " + identity(was) + " to " + identity(is)
                                        + ", so that changes told less of the old rows, and updates of the key came as plain updates",
                                0);
            case FILE -> {
                Partition partition = now.partitions.get(item.subject);
                yield partition == null
                        ? null
                        : new Gap(
                                partition.name,
                                "the partition was truncated (or rewritten, by VACUUM FULL, CLUSTER or ALTER TABLE: PostgreSQL does not tell "
                                        + "which), and a TRUNCATE of a partition by itself is not in the stream",
                                partition.by);
            }
            default -> null;
        };
    }

    private static @Nullable Gap narrowed(String publication, String was, String is) {
        if (is.equals("-")) {
            return new Gap(null, publication + "was not there", 0);
        }
        List<String> missing = new ArrayList<>(Arrays.asList(was.split(", ", -1)));
        missing.removeAll(Arrays.asList(is.split(", ", -1)));
        return missing.isEmpty() ? null : new Gap(null, publication + "did not send " + String.join(", ", missing), 0);
    }

    /** A letter, as the catalog has it, and the numbers of the columns. */
    private static boolean tellsAsMuch(String was, String is) {
        if (is.startsWith("f")) {
            return true;
        }
        return !was.startsWith("f")
                && Arrays.asList(is.substring(1).split(" ", -1))
                        .containsAll(Arrays.asList(was.substring(1).split(" ", -1)));
    }

    private static String identity(String state) {
        return switch (state.charAt(0)) {
            case 'f' -> "FULL";
            case 'i' -> "an index";
            case 'n' -> "NOTHING";
            default -> "DEFAULT";
        };
    }
}
