package org.pgbaton.spring.capture;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CapturedOperation;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code baton.captures.NAME.*}, with the names and defaults of {@code baton.yaml}. Immutable.
 *
 * @param tables The tables, written schema.table and separated by commas; or a list with name, columns, where and key of each.
 * @param operations Some of insert, update, delete, truncate. Default: all.
 * @param columns Only these columns, of every table that does not say otherwise. Default: all.
 * @param where Only rows for which this SQL expression holds, of every table that does not say otherwise; from PostgreSQL 15 on.
 * @param key The columns that make a change's key, within which order is kept. Default: each table's primary key.
 * @param messages Also captures messages of pg_logical_emit_message(true, prefix, …) with this prefix.
 * @param log The log that the changes go to; made if it is not there. Default: the capture's name.
 * @param publication One that somebody else made and keeps. Default: Baton makes its own.
 * @param slot The replication slot. Default: named after schema and capture.
 * @param snapshot Whether the rows that are there already are sent as well.
 */
public record CaptureProperties(
        @DefaultValue List<Table> tables,
        @DefaultValue List<CapturedOperation> operations,
        @DefaultValue List<String> columns,
        @Nullable String where,
        @DefaultValue List<String> key,
        @Nullable String messages,
        @Nullable String log,
        @Nullable String publication,
        @Nullable String slot,
        boolean snapshot) {
    /**
     * A table that is captured.
     *
     * @param name The table, as in SQL: schema.table.
     * @param columns Only these columns. Default: those of the capture.
     * @param where Only rows for which this SQL expression holds. Default: the one of the capture.
     * @param key The columns that make a change's key. Default: those of the capture.
     */
    public record Table(
            @DefaultValue("") String name,
            @DefaultValue List<String> columns,
            @Nullable String where,
            @DefaultValue List<String> key) {
        /** A table with the options of its capture. Boot calls it for a text in place of a list. */
        public static Table of(String name) {
            return new Table(name, List.of(), null, List.of());
        }
    }
}
