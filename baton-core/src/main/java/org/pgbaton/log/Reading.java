package org.pgbaton.log;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.pgbaton.session.DatabaseAccess;

/**
 * What to read from a log: one stream in the order of its versions, or the whole log in the order of its positions.
 *
 * <pre>{@code
 * events.read().stream("account-42").from(8).list();
 * events.read().after(1000).types("Deposited").limit(100).messages().forEach(this::show);
 * }</pre>
 *
 * <p><b>The whole log.</b> A row can become visible below one that is visible already, because its transaction was slower.
 * So a read of the whole log ends where, when it began, nothing could appear below any more: it takes the log's end and,
 * in a later statement, looks who has written and not yet ended; and waits for those to end. Who begins later writes
 * behind that end. If they have not ended {@link #patience in time}, the read fails and names them, rather than leave
 * something out. This is for reading once, in tools and tests; to follow a log, use a subscription.
 *
 * <p><b>A stream</b> needs no such care: version n+1 cannot be committed before version n, unless somebody numbers by
 * hand. Messages without a version are not part of a stream.
 *
 * <p>Messages come in pages, each read on an ordinary connection in a transaction of its own; between pages nothing is
 * held, and there is nothing to close. A page has at most 500 messages, and ends early when they get heavy. Retention may
 * remove rows ahead of a slow reader.
 *
 * <p>Not thread-safe; make one for each read.
 */
public final class Reading {
    private static final int PAGE = 500;

    private final DatabaseAccess database;
    private final LogTable table;
    private @Nullable String stream;
    private @Nullable Long from;
    private long offset;
    private boolean backwards;
    private List<String> types = List.of();
    private @Nullable String keyPrefix;
    private long limit = Long.MAX_VALUE;
    private int pageSize = PAGE;
    private boolean unsettled;
    private Duration patience = Duration.ofSeconds(5);

    Reading(DatabaseAccess database, LogTable table) {
        this.database = database;
        this.table = table;
    }

    /** Only this stream, in the order of its versions. */
    public Reading stream(String key) {
        this.stream = Draft.checkedKey(key);
        return this;
    }

    /** Begins here, this one included: a version if a stream is read, otherwise a position. */
    public Reading from(long versionOrPosition) {
        this.from = versionOrPosition;
        this.offset = 0;
        return this;
    }

    /** Begins behind this one, in the direction of reading: a version if a stream is read, otherwise a position. */
    public Reading after(long versionOrPosition) {
        this.from = versionOrPosition;
        this.offset = 1;
        return this;
    }

    /** From the end to the beginning. */
    public Reading backwards() {
        this.backwards = true;
        return this;
    }

    /** Only messages of these types. Nothing is indexed by type: the others are read and left out by the database. */
    public Reading types(String... types) {
        this.types = List.of(types);
        return this;
    }

    /**
     * Only messages whose key begins like this. Nothing is indexed by it: the others are read and left out by the
     * database.
     */
    public Reading keyPrefix(String prefix) {
        this.keyPrefix = Draft.storable("prefix", prefix);
        return this;
    }

    public Reading limit(long most) {
        if (most < 0) {
            throw new IllegalArgumentException(
                    "A limit of " + most + " messages makes no sense: give 0 or more (default: no limit).");
        }
        this.limit = most;
        return this;
    }

    public Reading pageSize(int most) {
        if (most < 1 || most > 10_000) {
            throw new IllegalArgumentException(
                    "A page of " + most + " messages makes no sense: give 1 to 10000 (default " + PAGE + ").");
        }
        this.pageSize = most;
        return this;
    }

    /** How long to wait for transactions that wrote to the log and are still open (default 5 s). */
    public Reading patience(Duration longest) {
        if (longest.isNegative()) {
            throw new IllegalArgumentException(
                    "A patience of " + longest + " makes no sense: give 0 or more (default 5 s).");
        }
        this.patience = longest;
        return this;
    }

    /** Everything that is visible, although rows may still appear in between: to look at, not to process. */
    public Reading unsettled() {
        this.unsettled = true;
        return this;
    }

    /**
     * The messages, read as they are needed.
     *
     * <p>Reading on throws a {@link LogException} if open transactions do not end in time.
     */
    public Stream<Message> messages() {
        return stream(pages(work -> database.call("read log '" + table.name() + "'", work)));
    }

    /**
     * The messages of a stream, in the caller's transaction and with what it has appended itself. The connection must not
     * be closed before the messages are read.
     *
     * @throws IllegalStateException if no stream is named: a transaction that has written would wait for itself
     */
    public Stream<Message> messages(Connection connection) {
        if (stream == null && !unsettled) {
            throw new IllegalStateException(
                    "Only a stream can be read in the caller's transaction: name it, or read without a connection.");
        }
        return stream(pages(work -> work.on(connection)));
    }

    public List<Message> list() {
        return messages().toList();
    }

    private static Stream<Message> stream(Pages pages) {
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(pages, Spliterator.ORDERED | Spliterator.NONNULL), false);
    }

    private Pages pages(Pages.Source source) {
        return new Pages(source, database.schema(), table, this);
    }

    @Nullable
    String stream() {
        return stream;
    }

    boolean isBackwards() {
        return backwards;
    }

    List<String> types() {
        return types;
    }

    @Nullable
    String keyPrefix() {
        return keyPrefix;
    }

    long limit() {
        return limit;
    }

    int pageSize() {
        return pageSize;
    }

    boolean isFiltered() {
        return !types.isEmpty() || keyPrefix != null;
    }

    /** Whether the end must be looked for first. */
    boolean isCareful() {
        return stream == null && !unsettled;
    }

    Duration patience() {
        return patience;
    }

    /** The first to be read, as far as the caller said. */
    long start() {
        if (from == null) {
            return backwards ? Long.MAX_VALUE : 0;
        }
        return backwards ? from - offset : from + offset;
    }
}
