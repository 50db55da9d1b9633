package org.pgbaton.server.adopt;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.SchemaName;
import org.pgbaton.server.command.NotThereException;
import org.pgbaton.server.command.Suggestion;
import org.pgbaton.server.command.UsageException;

/**
 * The table to be adopted, with its columns. Recognises by their names what columns are for.
 *
 * @param name as PostgreSQL writes it, quoted where needed
 */
record OldTable(String name, Map<String, Column> columns) {
    private static final String FIND = """
            SELECT c.oid::pg_catalog.regclass::pg_catalog.text, c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p}'::pg_catalog."char"[]),
                   n.nspname OPERATOR(pg_catalog.=) '${name}'::pg_catalog.name
              FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
             WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(?)::pg_catalog.oid""";

    /** The type of a domain is what is below it. */
    private static final String COLUMNS = """
            SELECT a.attname,
                   pg_catalog.format_type(CASE WHEN t.typbasetype OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN t.oid ELSE t.typbasetype END, NULL),
                   pg_catalog.pg_get_expr(d.adbin, d.adrelid),
                   EXISTS (SELECT FROM pg_catalog.pg_partitioned_table p
                            WHERE p.partrelid OPERATOR(pg_catalog.=) a.attrelid
                              AND a.attnum OPERATOR(pg_catalog.=) ANY (p.partattrs::pg_catalog.int2[]))
              FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
              LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid OPERATOR(pg_catalog.=) a.attrelid AND d.adnum OPERATOR(pg_catalog.=) a.attnum
             WHERE a.attrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(?)::pg_catalog.oid
               AND a.attnum OPERATOR(pg_catalog.>) 0::pg_catalog.int2 AND NOT a.attisdropped
             ORDER BY a.attnum""";

    private static final Pattern TEXT = Pattern.compile("'([^']+)'::.*");

    private static final List<String> IDS = List.of("id", "event_id", "message_id", "uuid");
    private static final List<String> KEYS =
            List.of("key", "message_key", "partition_key", "aggregate_id", "aggregateid", "stream_id", "entity_id");
    private static final List<String> TOPICS = List.of("topic", "destination");
    private static final List<String> TYPES = List.of("event_type", "eventtype", "type");
    private static final List<String> PAYLOADS = List.of("payload", "body", "content", "data", "event_data", "message");
    private static final List<String> STATUSES = List.of("status", "state");
    private static final Set<String> JSON = Set.of("json", "jsonb");
    private static final Set<String> SENDABLE =
            Set.of("json", "jsonb", "bytea", "text", "character varying", "character");

    /**
     * @param usual the default of the column; null if it is no plain text
     * @param divides whether the table is partitioned by this column
     */
    record Column(String name, String type, @Nullable String usual, boolean divides) {}

    static OldTable read(Connection connection, SchemaName schema, String table) throws SQLException {
        String name;
        try (PreparedStatement find = connection.prepareStatement(schema.in(FIND))) {
            find.setString(1, table);
            try (ResultSet row = find.executeQuery()) {
                if (!row.next()) {
                    throw new NotThereException("There is no table '" + table
                            + "' in this database: name its schema, too, if it is not on the search path.");
                }
                name = row.getString(1);
                if (!row.getBoolean(2) || row.getBoolean(3)) {
                    throw new UsageException("'" + name + "' is "
                            + (row.getBoolean(3) ? "Baton's own" : "no ordinary table") + " and cannot be adopted.");
                }
            }
        } catch (SQLException malformed) {
            if ("42602".equals(malformed.getSQLState())) {
                throw new NotThereException("'" + table + "' cannot be the name of a table.");
            }
            throw malformed;
        }
        Map<String, Column> columns = new LinkedHashMap<>();
        try (PreparedStatement select = connection.prepareStatement(COLUMNS)) {
            select.setString(1, table);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    columns.put(
                            row.getString(1),
                            new Column(row.getString(1), row.getString(2), plain(row.getString(3)), row.getBoolean(4)));
                }
            }
        }
        return new OldTable(name, columns);
    }

    private static @Nullable String plain(@Nullable String expression) {
        Matcher text = TEXT.matcher(expression == null ? "" : expression);
        return text.matches() ? text.group(1) : null;
    }

    String id(@Nullable String given) {
        return required("--id", given, IDS, "identifies a message");
    }

    String status(@Nullable String given) {
        Column found = column(required("--status", given, STATUSES, "says whether a message was sent"));
        if (found.divides()) {
            throw new UsageException("The table " + name + " is partitioned by '" + found.name()
                    + "', and a trigger cannot move a row to another partition: it cannot be adopted.");
        }
        if (found.type().equals("boolean")) {
            throw new UsageException(
                    "The column '" + found.name()
                            + "' is a boolean, and a third value is needed that the old relay does not send: it cannot be adopted as it is.");
        }
        return found.name();
    }

    String payload(@Nullable String given) {
        Column found = column(required("--payload", given, PAYLOADS, "has the message's content"));
        if (!SENDABLE.contains(found.type())) {
            throw new UsageException("The column '" + found.name() + "' has type " + found.type()
                    + ", and a payload is json, jsonb, text or bytea: name another with --payload.");
        }
        return found.name();
    }

    /** A column with a usual name; otherwise the only column whose name ends like that of a reference. */
    String key(@Nullable String given) {
        if (given == null && KEYS.stream().noneMatch(columns::containsKey)) {
            List<String> references = columns.keySet().stream()
                    .filter(name -> name.endsWith("_id") && !IDS.contains(name))
                    .toList();
            if (references.size() == 1) {
                return references.get(0);
            }
        }
        return required("--key", given, KEYS, "must stay in order (or say --no-key)");
    }

    String topic(@Nullable String given) {
        return required("--topic-column", given, TOPICS, "says where a message goes (or give one --topic for all)");
    }

    @Nullable
    String type(@Nullable String given) {
        return given == null ? first(TYPES) : column(given).name();
    }

    @Nullable
    String headers(@Nullable String given) {
        if (given == null) {
            return columns.containsKey("headers")
                            && JSON.contains(column("headers").type())
                    ? "headers"
                    : null;
        }
        Column found = column(given);
        if (!JSON.contains(found.type())) {
            throw new UsageException("The column '" + given + "' has type " + found.type()
                    + ", and headers are json or jsonb: name another with --headers.");
        }
        return given;
    }

    /** The status of a new row. */
    String pending(String status) {
        String usual = column(status).usual();
        if (usual == null) {
            throw new UsageException("The column '" + status + "' of " + name
                    + " has no default that would tell: name the status of a row that is to be sent with --pending.");
        }
        return usual;
    }

    private String required(String option, @Nullable String given, List<String> usual, String purpose) {
        String found = given == null ? first(usual) : column(given).name();
        if (found == null) {
            throw new UsageException("Which column of " + name + " " + purpose + " cannot be told from the names ("
                    + String.join(", ", columns.keySet()) + "): say " + option + " COLUMN.");
        }
        return found;
    }

    private @Nullable String first(List<String> usual) {
        return usual.stream().filter(columns::containsKey).findFirst().orElse(null);
    }

    private Column column(String wanted) {
        Column found = columns.get(wanted);
        if (found == null) {
            throw new NotThereException("The table " + name + " has no column '" + wanted + "'"
                    + Suggestion.didYouMean(wanted, columns.keySet()));
        }
        return found;
    }
}
