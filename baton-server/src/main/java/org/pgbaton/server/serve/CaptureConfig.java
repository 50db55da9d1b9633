package org.pgbaton.server.serve;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Kind;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/**
 * A capture as a file describes it. Immutable.
 *
 * @param operations in small letters; empty: all
 * @param key columns of the key, for tables that name none; empty: the primary key
 * @param messages the prefix of {@code pg_logical_emit_message}; null: none are taken
 * @param channels the names of channels that read its log
 * @param log where the changes go
 * @param publication one that somebody else keeps; null: Baton's own
 * @param slot null: named after schema and capture
 * @param snapshot whether rows that are there already are sent first
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
     * A table, and what of it is wanted.
     *
     * @param columns empty: all
     * @param where a row filter in SQL; null: all rows
     * @param key empty: as the capture says
     */
    public record Table(
            String name, List<String> columns, @Nullable String where, List<String> key) {}

    /** How it is called. */
    public static final Key<String> NAME = Key.required(
            "name",
            Kind.form(
                    "1 to 40 small letters, digits and underscores, not starting with a digit",
                    "[a-z_][a-z0-9_]{0,39}",
                    text -> text),
            "How it is called, here and in the database. Unique in the file.");

    private static final Key<String> TABLE_NAME =
            Key.required("name", Kind.text(), "The table, as in SQL: schema.table.");
    private static final Key<List<String>> COLUMNS =
            Key.optional("columns", Kind.listOf(Kind.name()), "Only these columns. Default: all.");
    private static final Key<String> WHERE =
            Key.optional("where", Kind.text(), "Only rows for which this SQL expression holds; from PostgreSQL 15 on.");
    private static final Key<List<String>> KEY = Key.optional(
            "key",
            Kind.listOf(Kind.name()),
            "The columns that make a change's key, within which order is kept. Default: the primary key.");
    private static final Kind<Table> TABLE = Kind.orText(
            Kind.mapped(Section.of("table", TABLE_NAME, COLUMNS, WHERE, KEY).kind(), CaptureConfig::table),
            name -> new Table(name, List.of(), null, List.of()));

    private static final Key<List<Table>> TABLES = Key.optional(
            "tables", Kind.listOf(TABLE), "The tables: names, or mappings with name, columns, where and key.");
    private static final Key<List<String>> OPERATIONS = Key.optional(
            "operations",
            Kind.listOf(Kind.choice(operationNames())),
            "insert, update, delete, truncate. Default: all.");
    private static final Key<String> MESSAGES = Key.optional(
            "messages", Kind.text(), "Takes what pg_logical_emit_message(true, prefix, …) says with this prefix, too.");
    /** Which channels it feeds. */
    public static final Key<List<String>> CHANNELS = Key.optional(
            "channels", Kind.listOf(Kind.name()), "The channels that are told. Default: none, only the log.");

    private static final Key<String> LOG = Key.optional(
            "log",
            Kind.name(),
            "The log that the changes go to; made if it is not there. Default: the capture's name.");
    private static final Key<String> PUBLICATION = Key.optional(
            "publication", Kind.name(), "One that somebody else made and keeps. Default: Baton makes its own.");
    private static final Key<String> SLOT =
            Key.optional("slot", Kind.name(), "The replication slot. Default: named after schema and capture.");
    private static final Key<Boolean> SNAPSHOT = Key.optional(
            "snapshot", Kind.truth(), "false", "Whether the rows that are there already are sent as well.");

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

    List<String> tableNames() {
        return tables.stream().map(Table::name).toList();
    }

    private static Map<String, String> operationNames() {
        Map<String, String> names = new LinkedHashMap<>();
        List.of("insert", "update", "delete", "truncate").forEach(each -> names.put(each, each));
        return names;
    }

    private static void check(Settings part) {
        if (!part.has(TABLES) && !part.has(MESSAGES)) {
            part.problem(part.line(), part.title() + " has nothing to capture: give 'tables', or 'messages'");
        }
        if (part.has(SNAPSHOT) && !part.has(TABLES)) {
            part.problem(SNAPSHOT, "'snapshot' in " + part.title() + " needs 'tables'");
        }
    }

    private static Table table(Settings part) {
        String name = part.find(TABLE_NAME);
        return new Table(
                name == null ? "" : name, orNone(part.find(COLUMNS)), part.find(WHERE), orNone(part.find(KEY)));
    }

    private static List<String> orNone(@Nullable List<String> list) {
        return list == null ? List.of() : list;
    }

    /** @param part read without a problem */
    public static CaptureConfig of(Settings part) {
        List<Table> written = part.find(TABLES);
        List<String> columns = orNone(part.find(COLUMNS));
        String where = part.find(WHERE);
        List<Table> tables = (written == null ? List.<Table>of() : written)
                .stream()
                        .map(table -> new Table(
                                table.name,
                                table.columns.isEmpty() ? columns : table.columns,
                                table.where == null ? where : table.where,
                                table.key))
                        .toList();
        return new CaptureConfig(
                part.get(NAME),
                tables,
                orNone(part.find(OPERATIONS)),
                orNone(part.find(KEY)),
                part.find(MESSAGES),
                orNone(part.find(CHANNELS)),
                log(part),
                part.find(PUBLICATION),
                part.find(SLOT),
                part.get(SNAPSHOT),
                part.line());
    }

    /** Of a capture that may have problems. */
    public static String log(Settings part) {
        String given = part.find(LOG);
        String name = part.find(NAME);
        return given != null ? given : name == null ? "" : name;
    }
}
