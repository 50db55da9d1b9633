package org.pgbaton.capture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.session.Lease;

/**
 * Which changes to capture, and where to. Nothing happens before {@link #start}. Not thread-safe.
 *
 * <pre>{@code
 * baton.capture("alerts").table("public.alert").operations(Operation.INSERT).start();
 * }</pre>
 */
public final class CaptureBuilder {
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,39}");
    private static final Pattern SLOT = Pattern.compile("[a-z0-9_]{1,63}");

    private final Captures captures;
    private final String name;
    private final List<CapturedTable> tables = new ArrayList<>();
    private Set<Operation> operations = EnumSet.complementOf(EnumSet.of(Operation.READ));
    private List<String> key = List.of();
    private @Nullable String messages;
    private String log;
    private @Nullable String publication;
    private @Nullable String slot;
    private boolean existingRows;
    private Lease lease = Lease.DEFAULT;

    CaptureBuilder(Captures captures, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + (name.length() <= 60 ? name : name.substring(0, 60) + "…")
                            + "' cannot be the name of a capture: use 1 to 40 small letters, digits and underscores, not starting with a digit.");
        }
        this.captures = captures;
        this.name = name;
        this.log = name;
    }

    /** One more table, with all its columns and rows. */
    public CaptureBuilder table(String table) {
        return table(CapturedTable.named(table));
    }

    public CaptureBuilder table(CapturedTable table) {
        tables.add(table);
        return this;
    }

    /** Default: all. */
    public CaptureBuilder operations(Operation first, Operation... more) {
        this.operations = EnumSet.of(first, more);
        if (operations.contains(Operation.READ)) {
            throw new IllegalArgumentException("READ is no change: rows that are there come with existingRows().");
        }
        return this;
    }

    /**
     * The columns that make the key, of tables that say nothing else. Rows of different tables with the same key are of one key, and
     * stay in order. Default: each table's primary key.
     */
    public CaptureBuilder key(String... columns) {
        this.key = List.of(columns);
        return this;
    }

    /** Takes what {@code pg_logical_emit_message(true, prefix, …)} says as well, or instead of any table. */
    public CaptureBuilder messages(String prefix) {
        this.messages = prefix;
        return this;
    }

    /**
     * Sends the rows that are there when the capture begins as well, once, in between the changes: each before any later change of it, or
     * else that change instead. For a capture that has begun already see {@link Captures#snapshot}.
     */
    public CaptureBuilder existingRows() {
        this.existingRows = true;
        return this;
    }

    /** The log; made if it is not there. Default: one with the capture's name. */
    public CaptureBuilder into(String log) {
        this.log = log;
        return this;
    }

    /** One that somebody else made and keeps: it must cover the tables and operations. Default: Baton makes its own. */
    public CaptureBuilder publication(String name) {
        this.publication = name;
        return this;
    }

    /** Another name than schema and capture: slots of all databases of a server share their names. */
    public CaptureBuilder slot(String name) {
        if (!SLOT.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + name + "' cannot be the name of a slot: use 1 to 63 small letters, digits and underscores.");
        }
        this.slot = name;
        return this;
    }

    /** How long a reader that froze, or lost its network, keeps the slot from the next: at least 2 s; default 10 s. */
    public CaptureBuilder lease(Duration length) {
        this.lease = new Lease(length);
        return this;
    }

    /**
     * Checks what can be checked, starts to read, or to stand by, and returns when the slot is there: every change that is committed from then
     * on is captured. PostgreSQL makes a slot when the transactions have ended that are open at that time; so long this waits, and logs why.
     *
     * @throws CaptureException if this cannot be captured; the message says what to do
     */
    public Capture start() {
        return captures.start(plan(), lease.length(), true);
    }

    /**
     * The same, but returns at once. From when on changes are captured, and what is in the way of it, tell {@link Capture#health} and
     * {@link Captures#show}; what somebody has to correct is tried again until it is.
     *
     * @throws CaptureException if it is known already that this cannot be captured
     */
    public Capture startWithoutWaiting() {
        return captures.start(plan(), lease.length(), false);
    }

    private Plan plan() {
        if (tables.isEmpty() && messages == null) {
            throw new CaptureException("Capture '" + name + "' has nothing to capture: name a table.");
        }
        return new Plan(
                name,
                List.copyOf(tables),
                operations,
                key,
                messages,
                existingRows,
                log,
                publication == null ? defaultName() : publication,
                publication != null,
                slot == null ? defaultName() : slot);
    }

    /** The schema may have fifty characters: the longest are cut, so that the slot's 63 suffice. */
    private String defaultName() {
        String schema = captures.schema().toLowerCase(Locale.ROOT);
        return schema.substring(0, Math.min(schema.length(), 62 - name.length())) + "_" + name;
    }
}
