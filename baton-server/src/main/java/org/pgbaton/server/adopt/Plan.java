package org.pgbaton.server.adopt;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.Output;

/**
 * Which columns of the old table become which parts of a message. Immutable.
 *
 * @param key null means that messages have no order
 * @param topic the topic of all messages; null if a column has it
 * @param pending the statuses of rows that the old relay sends
 * @param taken the status of rows that belong to Baton
 */
record Plan(
        String table,
        String log,
        String id,
        @Nullable String key,
        @Nullable String topicColumn,
        @Nullable String topic,
        @Nullable String type,
        @Nullable String headers,
        String payload,
        String status,
        List<String> pending,
        String taken) {

    /** The JSON of a row of the table {@code adoption}. */
    String asRow() {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("relation", table);
        row.put("log", log);
        row.put("id_column", id);
        row.put("key_column", key);
        row.put("topic_column", topicColumn);
        row.put("fixed_topic", topic);
        row.put("type_column", type);
        row.put("headers_column", headers);
        row.put("payload_column", payload);
        row.put("status_column", status);
        row.put("pending", pending);
        row.put("taken", taken);
        return Output.jsonLine(row);
    }

    Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("table", table);
        map.put("log", log);
        map.put("id", id);
        map.put("key", key);
        map.put("topicColumn", topicColumn);
        map.put("topic", topic);
        map.put("type", type);
        map.put("headers", headers);
        map.put("payload", payload);
        map.put("status", status);
        map.put("pending", pending);
        map.put("taken", taken);
        return map;
    }

    /** A table for people that shows what becomes of a row. */
    String shown() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("id", "column " + id));
        rows.add(List.of("key", key == null ? "none: no order" : "column " + key));
        rows.add(List.of("topic", topic == null ? "column " + topicColumn : "'" + topic + "'"));
        if (type != null) {
            rows.add(List.of("type", "column " + type));
        }
        if (headers != null) {
            rows.add(List.of("headers", "column " + headers));
        }
        rows.add(List.of("payload", "column " + payload));
        rows.add(List.of("status", "column " + status + ": " + String.join(", ", pending) + " becomes " + taken));
        return Output.table(List.of("MESSAGE", "FROM " + table), rows);
    }
}
