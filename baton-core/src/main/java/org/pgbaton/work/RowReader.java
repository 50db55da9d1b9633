package org.pgbaton.work;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.handling.LaneGroups;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.table.MessageRow;

/**
 * Reads the rows of a claim, in one statement: wide, by position, with a filter on the lanes. A claim of a single lane is read along the
 * index of the lanes, and sees no rows of others. The rows of small messages come in one round trip. Thread-safe.
 */
public final class RowReader {
    /** The most bytes of payload in one batch, give or take one message. */
    static final long HEAVIEST = 16L << 20;
    /** Batches grow up to so many bytes of payload: what each costs by itself does not matter any more then. */
    private static final long GROWN = 2L << 20;
    /** With a filter, most rows may not concern us: look at so many positions at a time, and at more if nothing was found. */
    private static final int POSITIONS_PER_ROW = 100;

    /**
     * Rows of the lanes that were asked for; some may be behind a lane's position, or beyond its frontier.
     *
     * @param upTo everything up to this position has been read
     */
    public record Rows(List<Message> messages, long upTo) {
        /** Those up to a position. */
        public Rows upTo(long last) {
            return last >= upTo
                    ? this
                    : new Rows(
                            messages.stream()
                                    .filter(message -> message.position() <= last)
                                    .toList(),
                            last);
        }
    }

    /** Rows that the driver fetches together when they may be heavy. */
    private static final int FEWEST = 20;

    /** Goes to the server together with what it prepares for. */
    private static final String BEGIN = "SELECT here FROM ${schema}.begin_read()";

    private final SubscriptionOptions options;
    private final DatabaseAccess database;
    private final Executor threads;
    private final BatchSize size;
    /** Of the messages read lately: how many the driver may fetch at once, since it keeps them all. */
    private volatile int heaviest = 64 * 1024;

    private final String wide;
    private final String single;

    /** @param threads on which rows are read ahead */
    public RowReader(SubscriptionOptions options, DatabaseAccess database, Executor threads) {
        this.options = options;
        this.database = database;
        this.threads = threads;
        this.size = new BatchSize(options.batch(), options.largestBatch());
        String filter = (options.types().isEmpty() ? "" : " AND type OPERATOR(pg_catalog.=) ANY (?)")
                + (options.keyPrefix() == null ? "" : " AND pg_catalog.starts_with(key, ?::pg_catalog.text)");
        String head = database.schema().in(BEGIN) + "; SELECT " + MessageRow.COLUMNS + " FROM "
                + options.log().table();
        this.wide = head + " WHERE position OPERATOR(pg_catalog.>) ? AND position OPERATOR(pg_catalog.<=) ?"
                + (options.isTotal() ? "" : " AND lane OPERATOR(pg_catalog.=) ANY (?)")
                + filter + " ORDER BY position LIMIT ?";
        // Said as "lane = ? AND position > ?" the planner prefers the index on position, and goes through the rows of
        // all lanes.
        this.single = head + " WHERE ROW(lane, position) OPERATOR(pg_catalog.>) ROW(?, ?)"
                + " AND ROW(lane, position) OPERATOR(pg_catalog.<=) ROW(?, ?)" + filter
                + " ORDER BY lane, position LIMIT ?";
    }

    private boolean isFiltered() {
        return !options.types().isEmpty() || options.keyPrefix() != null;
    }

    /**
     * Whether so many may come all at once; else the driver is to fetch them in parts, which takes a transaction. More than the usual number
     * always come in parts, because nobody knows what they weigh before they are here.
     */
    private boolean isLight(int most) {
        return most <= options.batch() && (long) most * heaviest <= HEAVIEST;
    }

    /** A batch that was read here is done. Quick ones are followed by larger ones. */
    public void took(int messages, Duration length) {
        size.took(messages, length);
    }

    /** A message failed: the next batches are as small as they can be. */
    public void failed() {
        size.reset();
    }

    /**
     * In a READ COMMITTED transaction of its own, begun after the look that gave the frontier, on the server where the lanes are ours.
     *
     * @param after the position from which to read on
     */
    public Rows read(Claim claim, long after) {
        int most = size.next(GROWN / Math.max(1, heaviest));
        DatabaseAccess.Work<Rows> reading = connection -> read(connection, claim, after, most);
        String doing = "read for " + options;
        return isLight(most) ? database.ask(doing, reading) : database.call(doing, reading);
    }

    /** Reads what comes next while what came before is handled. */
    public CompletableFuture<Rows> readAhead(Claim claim, long after) {
        CompletableFuture<Rows> answer = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                answer.complete(read(claim, after));
            } catch (Throwable failed) {
                answer.completeExceptionally(failed);
            }
        });
        return answer;
    }

    private Rows read(Connection connection, Claim claim, long after, int most) throws SQLException {
        long from = after;
        long upTo = claim.upTo();
        if (!isFiltered()) {
            return read(connection, claim, from, upTo, most);
        }
        long span = (long) most * POSITIONS_PER_ROW;
        while (true) {
            long end = Math.min(upTo, from + span);
            Rows rows = read(connection, claim, from, end, most);
            if (!rows.messages.isEmpty() || rows.upTo >= upTo) {
                return rows;
            }
            span = rows.upTo == end ? span * 2 : span;
            from = rows.upTo;
        }
    }

    private Rows read(Connection connection, Claim claim, long from, long upTo, int most) throws SQLException {
        List<Lane> lanes = claim.lanes();
        boolean alone = lanes.size() == 1 && options.groups().areSingleLanes();
        try (PreparedStatement select = connection.prepareStatement(alone ? single : wide)) {
            int i = 1;
            if (alone) {
                select.setInt(i++, lanes.get(0).group().number());
            }
            select.setLong(i++, from);
            if (alone) {
                select.setInt(i++, lanes.get(0).group().number());
            }
            select.setLong(i++, upTo);
            if (!alone && !options.isTotal()) {
                select.setArray(i++, connection.createArrayOf("int4", numbers(lanes)));
            }
            if (!options.types().isEmpty()) {
                select.setArray(
                        i++, connection.createArrayOf("text", options.types().toArray()));
            }
            if (options.keyPrefix() != null) {
                select.setString(i++, options.keyPrefix());
            }
            select.setInt(i, most);
            select.setFetchSize((int) Math.max(FEWEST, Math.min(options.batch(), HEAVIEST / Math.max(1, heaviest))));
            select.execute();
            try (ResultSet row = select.getResultSet()) {
                row.next();
                lanes.get(0).requireHistory(row.getString(1));
            }
            select.getMoreResults();
            try (ResultSet rows = select.getResultSet()) {
                return rows(connection, rows, upTo, most);
            }
        }
    }

    /** The lanes of the log that belong to these groups. */
    private Object[] numbers(List<Lane> owned) {
        LaneGroups groups = options.groups();
        Set<LaneGroup> wanted = new HashSet<>();
        owned.forEach(lane -> wanted.add(lane.group()));
        return IntStream.range(0, groups.lanes())
                .filter(lane -> wanted.contains(groups.of(lane)))
                .boxed()
                .toArray();
    }

    private Rows rows(Connection connection, ResultSet rows, long upTo, int most) throws SQLException {
        List<Message> messages = new ArrayList<>();
        long weight = 0;
        int heaviestHere = 1;
        while (weight < HEAVIEST && rows.next()) {
            Message message =
                    MessageRow.readOrExcuse(rows, connection, options.log().table());
            messages.add(message);
            weight += message.payload().length;
            heaviestHere = Math.max(heaviestHere, message.payload().length);
        }
        heaviest = messages.isEmpty() ? heaviest : Math.max(heaviestHere, heaviest / 2);
        boolean all = weight < HEAVIEST && messages.size() < most;
        return new Rows(messages, all ? upTo : messages.get(messages.size() - 1).position());
    }
}
