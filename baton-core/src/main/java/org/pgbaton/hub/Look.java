package org.pgbaton.hub;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.frontier.Frontier;
import org.pgbaton.session.Session;
import org.pgbaton.table.LogTable;

/**
 * One look: the ends of the logs, then who writes, who lives and who owns what. One statement for all logs of the process.
 *
 * @param bells which of the doorbells that were tried are ours now
 */
record Look(
        List<Boolean> bells,
        List<Long> ends,
        long actions,
        String timeline,
        List<List<Frontier.Writer>> writers,
        Set<Integer> members,
        Set<Integer> owned) {
    private static final String LOOK = """
            SELECT bells, ends, actions, here, writer_logs, writer_lanes, writers, members, lanes
              FROM ${schema}.look(?::oid[], ?::oid[], ?::oid[])""";

    static Look at(Session session, List<LogTable> logs, List<LogTable> ring) {
        return session.query(
                "look at the logs",
                LOOK,
                row -> read(row, logs),
                array(logs.stream().mapToLong(LogTable::relation).toArray()),
                array(logs.stream().mapToLong(LogTable::sequence).toArray()),
                array(ring.stream().mapToLong(LogTable::relation).toArray()));
    }

    /** The same, with the sets of an earlier look where they are equal: then whoever compares them need not go through them. */
    Look sharing(Look earlier) {
        return new Look(
                bells,
                ends,
                actions,
                timeline,
                writers,
                members.equals(earlier.members) ? earlier.members : members,
                owned.equals(earlier.owned) ? earlier.owned : owned);
    }

    /** How many locks it had to go through, at least. */
    int locks() {
        return members.size()
                + owned.size()
                + writers.stream().mapToInt(List::size).sum();
    }

    private static String array(long[] numbers) {
        return Arrays.toString(numbers).replace('[', '{').replace(']', '}');
    }

    private static Look read(ResultSet row, List<LogTable> logs) throws SQLException {
        row.next();
        Boolean[] bells = elements(row.getArray(1), new Boolean[0]);
        Long[] ends = elements(row.getArray(2), new Long[0]);
        Long[] writerLogs = elements(row.getArray(5), new Long[0]);
        Integer[] writerLanes = elements(row.getArray(6), new Integer[0]);
        String[] transactions = elements(row.getArray(7), new String[0]);
        List<List<Frontier.Writer>> writers = new ArrayList<>();
        for (LogTable log : logs) {
            List<Frontier.Writer> here = new ArrayList<>();
            for (int i = 0; i < writerLogs.length; i++) {
                if (writerLogs[i] == log.relation() && writerLanes[i] < log.lanes()) {
                    here.add(new Frontier.Writer(transactions[i], writerLanes[i]));
                }
            }
            writers.add(here);
        }
        return new Look(
                List.of(bells),
                List.of(ends),
                row.getLong(3),
                row.getString(4),
                writers,
                numbers(row.getArray(8)),
                numbers(row.getArray(9)));
    }

    private static Set<Integer> numbers(@Nullable Array array) throws SQLException {
        return new HashSet<>(List.of(elements(array, new Integer[0])));
    }

    @SuppressWarnings("unchecked") // the driver gives an array of the element's own type
    private static <T> T[] elements(@Nullable Array array, T[] none) throws SQLException {
        return array == null ? none : (T[]) array.getArray();
    }
}
