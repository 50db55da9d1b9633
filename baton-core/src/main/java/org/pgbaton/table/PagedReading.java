package org.pgbaton.table;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.pgbaton.json.StorableText;
import org.pgbaton.log.Message;
import org.pgbaton.log.Reading;
import org.pgbaton.session.DatabaseAccess;

/**
 * What to read, and where it begins and ends. The messages come from {@link Pages}; the end of the whole log is looked for by
 * {@link SettledEnd}. Not thread-safe.
 */
final class PagedReading implements Reading {
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

    PagedReading(DatabaseAccess database, LogTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public PagedReading stream(String key) {
        this.stream = StorableText.key(key);
        return this;
    }

    @Override
    public PagedReading from(long versionOrPosition) {
        this.from = versionOrPosition;
        this.offset = 0;
        return this;
    }

    @Override
    public PagedReading after(long versionOrPosition) {
        this.from = versionOrPosition;
        this.offset = 1;
        return this;
    }

    @Override
    public PagedReading backwards() {
        this.backwards = true;
        return this;
    }

    @Override
    public PagedReading types(String... types) {
        this.types = List.of(types);
        return this;
    }

    @Override
    public PagedReading keyPrefix(String prefix) {
        this.keyPrefix = StorableText.checked("prefix", prefix);
        return this;
    }

    @Override
    public PagedReading limit(long most) {
        if (most < 0) {
            throw new IllegalArgumentException(
                    "A limit of " + most + " messages makes no sense: give 0 or more (default: no limit).");
        }
        this.limit = most;
        return this;
    }

    @Override
    public PagedReading pageSize(int most) {
        if (most < 1 || most > 10_000) {
            throw new IllegalArgumentException(
                    "A page of " + most + " messages makes no sense: give 1 to 10000 (default " + PAGE + ").");
        }
        this.pageSize = most;
        return this;
    }

    @Override
    public PagedReading patience(Duration longest) {
        if (longest.isNegative()) {
            throw new IllegalArgumentException(
                    "A patience of " + longest + " makes no sense: give 0 or more (default 5 s).");
        }
        this.patience = longest;
        return this;
    }

    @Override
    public PagedReading unsettled() {
        this.unsettled = true;
        return this;
    }

    @Override
    public Stream<Message> messages() {
        return stream(pages(work -> database.call("read log '" + table.name() + "'", work)));
    }

    @Override
    public Stream<Message> messages(Connection connection) {
        if (stream == null && !unsettled) {
            throw new IllegalStateException(
                    "Only a stream can be read in the caller's transaction: name it, or read without a connection.");
        }
        return stream(pages(work -> work.on(connection)));
    }

    @Override
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
