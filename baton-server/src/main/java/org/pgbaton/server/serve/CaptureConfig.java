package org.pgbaton.server.serve;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Kind;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/**
 * A capture as it is configured. Immutable.
 *
 * @param operations in small letters; empty means all
 * @param key columns of the key, for tables without one of their own; empty means the primary key
 * @param messages the prefix of messages of {@code pg_logical_emit_message}; null means that none are captured
 * @param channels the names of channels that read its log
 * @param log where the changes are written
 * @param publication one that Baton does not manage; null means Baton's own
 * @param slot null means a name made from schema and capture
 * @param snapshot whether existing rows are sent, too
 * @param line where it stands in the file
 */
public record CaptureConfig(
        String name,
        List<Table> tables,
        List<String> operations,
        List<String> key,
        @Nullable String messages,
        List<String> channels,
        String log,
        @Nullable String publication,
        @Nullable String slot,
        boolean snapshot,
        int line) {
    /**
     * A table that is captured.
     *
     * @param columns empty means all
     * @param where a row filter in SQL; null means all rows
     * @param key empty means the key of the capture
     */
    public record Table(
            String name, List<String> columns, @Nullable String where, List<String> key) {}

    /** Its name. */
    public static final Key<String> NAME = Key.required(
            "name",
            Scalar.form(
                    "1 to 40 small letters, digits and underscores, not starting with a digit",
                    "[a-z_][a-z0-9_]{0,39}",
                    text -> text),
            "How it is called, here and in the database. Unique in the file.");

    private static final Key<String> TABLE_NAME =
            Key.required("name", Scalar.text(), "The table, as in SQL: schema.table.");
    private static final Key<List<String>> COLUMNS =
            Key.optional("columns", Scalar.name().list(), "Only these columns. Default: all.");
    private static final Key<String> WHERE = Key.optional(
            "where", Scalar.text(), "Only rows for which this SQL expression holds; from PostgreSQL 15 on.");
    private static final Key<List<String>> KEY = Key.optional(
            "key",
            Scalar.name().list(),
            "The columns that make a change's key, within which order is kept. Default: the primary key.");
    private static final Kind<Table> TABLE = Section.of("table", TABLE_NAME, COLUMNS, WHERE, KEY)
            .kind()
            .map(CaptureConfig::table)
            .orText(name -> new Table(name, List.of(), null, List.of()));

    private static final Key<List<Table>> TABLES =
            Key.optional("tables", TABLE.list(), "The tables: names, or mappings with name, columns, where and key.");
    private static final Key<List<String>> OPERATIONS = Key.optional(
            "operations", Scalar.choice(operationNames()).list(), "insert, update, delete, truncate. Default: all.");
    private static final Key<String> MESSAGES = Key.optional(
            "messages",
            Scalar.text(),
            "Also captures messages of pg_logical_emit_message(true, prefix, …) with this prefix.");
    /** Which channels it feeds. */
    public static final Key<List<String>> CHANNELS =
            Key.optional("channels", Scalar.name().list(), "The channels that are told. Default: none, only the log.");

    private static final Key<String> LOG = Key.optional(
            "log",
            Scalar.name(),
            "The log that the changes go to; made if it is not there. Default: the capture's name.");
    private static final Key<String> PUBLICATION = Key.optional(
            "publication", Scalar.name(), "One that somebody else made and keeps. Default: Baton makes its own.");
    private static final Key<String> SLOT =
            Key.optional("slot", Scalar.name(), "The replication slot. Default: named after schema and capture.");
    private static final Key<Boolean> SNAPSHOT = Key.optional(
            "snapshot", Scalar.truth(), "false", "Whether the rows that are there already are sent as well.");

    /** Its keys. */
    public static final Section SECTION = Section.of(
                    "capture",
                    NAME,
                    TABLES,
                    OPERATIONS,
                    COLUMNS,
                    WHERE,
                    KEY,
                    MESSAGES,
                    CHANNELS,
                    LOG,
                    PUBLICATION,
                    SLOT,
                    SNAPSHOT)
            .namedBy(NAME)
            .check(CaptureConfig::check);

    /** Also if it stands in another line, or feeds other channels. */
    boolean sameAs(CaptureConfig other) {
        return anywhere().equals(other.anywhere());
    }

    private CaptureConfig anywhere() {
        return new CaptureConfig(
                name, tables, operations, key, messages, List.of(), log, publication, slot, snapshot, 0);
    }

    List<String> tableNames() {
        return tables.stream().map(Table::name).toList();
    }

    private static Map<String, String> operationNames() {
        Map<String, String> names = new LinkedHashMap<>();
        List.of("insert", "update", "delete", "truncate").forEach(each -> names.put(each, each));
        return names;
    }

    private static void check(Settings settings) {
        if (!settings.has(TABLES) && !settings.has(MESSAGES)) {
            settings.problem(
                    settings.line(), settings.title() + " has nothing to capture: give 'tables', or 'messages'");
        }
        if (settings.has(SNAPSHOT) && !settings.has(TABLES)) {
            settings.problem(SNAPSHOT, "'snapshot' in " + settings.title() + " needs 'tables'");
        }
    }

    private static Table table(Settings settings) {
        String name = settings.find(TABLE_NAME);
        return new Table(name == null ? "" : name, settings.list(COLUMNS), settings.find(WHERE), settings.list(KEY));
    }

    /** @param settings without problems */
    public static CaptureConfig of(Settings settings) {
        List<String> columns = settings.list(COLUMNS);
        String where = settings.find(WHERE);
        List<Table> tables = settings.list(TABLES).stream()
                .map(table -> new Table(
                        table.name,
                        table.columns.isEmpty() ? columns : table.columns,
                        table.where == null ? where : table.where,
                        table.key))
                .toList();
        return new CaptureConfig(
                settings.get(NAME),
                tables,
                settings.list(OPERATIONS),
                settings.list(KEY),
                settings.find(MESSAGES),
                settings.list(CHANNELS),
                log(settings),
                settings.find(PUBLICATION),
                settings.find(SLOT),
                settings.get(SNAPSHOT),
                settings.line());
    }

    /** Also for a capture with problems. */
    public static String log(Settings settings) {
        String given = settings.find(LOG);
        String name = settings.find(NAME);
        return given != null ? given : name == null ? "" : name;
    }
}
