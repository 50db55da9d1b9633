package org.pgbaton.server.notice;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A row change that a capture wrote to its log. The row before and after is a map of plain values. Immutable.
 *
 * @param before null if there was no row, or if the replica identity of the table does not include it
 * @param copy whether another lane has the same change, so that no notice is needed for this one
 * @param unchanged columns that are not in {@code after} because their large value did not change
 */
public record RowChange(
        String table,
        String operation,
        String key,
        @Nullable Map<String, @Nullable Object> before,
        @Nullable Map<String, @Nullable Object> after,
        Set<String> unchanged,
        @Nullable Object lsn,
        @Nullable Object committedAt,
        UUID id,
        long position,
        boolean copy) {
    /** What can happen to a row. {@code read} is a row that existed before the capture, {@code message} a message without a row. */
    public static final List<String> OPERATIONS = List.of("insert", "update", "delete", "truncate", "read", "message");

    private static final String MESSAGE = "message";

    private static final TypeReference<LinkedHashMap<String, @Nullable Object>> OBJECT = new TypeReference<>() {};

    /** Numbers keep all their digits. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /** @throws HandlerException if the message is no row change; its key is parked */
    public static RowChange of(Message message) {
        if (MESSAGE.equals(message.type())) {
            return said(message);
        }
        Map<String, @Nullable Object> all;
        try {
            all = JSON.readValue(message.payload(), OBJECT);
        } catch (JacksonException noObject) {
            throw none(message, "its payload is no JSON object");
        }
        // It is null if the payload is the JSON text null.
        if (all == null
                || !(all.get("table") instanceof String table)
                || !(all.get("operation") instanceof String operation)
                || !OPERATIONS.contains(operation)) {
            throw none(message, "it has no 'table' and 'operation'");
        }
        return new RowChange(
                table,
                operation,
                message.key(),
                object(all.get("before")),
                object(all.get("after")),
                names(all.get("unchanged")),
                all.get("lsn"),
                all.get("committedAt"),
                message.id(),
                message.position(),
                // A truncate is written to every lane, so that every key learns of it. One notice is enough.
                operation.equals("truncate") && message.lane() > 0);
    }

    /** A message of {@code pg_logical_emit_message}: a JSON object is the row, anything else its only column. */
    private static RowChange said(Message message) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        try {
            Object json = message.isJson() ? JSON.readValue(message.payload(), Object.class) : message.text();
            Map<String, @Nullable Object> object = object(json);
            if (object == null) {
                row.put("value", json);
            } else {
                row.putAll(object);
            }
        } catch (JacksonException tooDeep) {
            throw none(message, "its payload cannot be read");
        }
        return new RowChange(
                MESSAGE,
                MESSAGE,
                message.key(),
                null,
                row,
                Set.of(),
                null,
                null,
                message.id(),
                message.position(),
                false);
    }

    private static HandlerException none(Message message, String why) {
        return new HandlerException(
                Verdict.PARK,
                "Message " + message.position() + " is no row change that a capture wrote: " + why
                        + ". Skip it, or let the channel read the log of a capture.");
    }

    @SuppressWarnings("unchecked") // the names in a JSON object are strings
    private static @Nullable Map<String, @Nullable Object> object(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? (Map<String, @Nullable Object>) map : null;
    }

    private static Set<String> names(@Nullable Object value) {
        Set<String> names = new TreeSet<>();
        if (value instanceof List<?> list) {
            list.forEach(each -> names.add(String.valueOf(each)));
        }
        return names;
    }

    /** The row after the change, or before it if it was deleted; null for a truncate. */
    @Nullable
    Map<String, @Nullable Object> row() {
        return after != null ? after : before;
    }

    /** The columns whose values before and after are known and differ. */
    private List<String> changed() {
        List<String> changed = new ArrayList<>();
        if (before != null && after != null) {
            Map<String, @Nullable Object> old = before;
            after.forEach((column, value) -> {
                if (old.containsKey(column) && !Objects.equals(old.get(column), value)) {
                    changed.add(column);
                }
            });
        }
        return changed;
    }

    /** The names that a template can use. */
    Map<String, @Nullable Object> data() {
        Map<String, @Nullable Object> data = new LinkedHashMap<>();
        data.put("table", table);
        data.put("operation", operation);
        data.put("key", key);
        data.put("before", before);
        data.put("after", after);
        data.put("row", row());
        data.put("changed", changed());
        data.put("lsn", lsn);
        data.put("committedAt", committedAt);
        data.put("id", id.toString());
        data.put("position", position);
        return data;
    }

    /** As the capture wrote it. */
    Map<String, @Nullable Object> asJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("table", table);
        json.put("operation", operation);
        json.put("before", before);
        json.put("after", after);
        json.put("lsn", lsn);
        json.put("committedAt", committedAt);
        if (!unchanged.isEmpty()) {
            json.put("unchanged", unchanged);
        }
        return json;
    }

    static String json(@Nullable Object value) {
        return JSON.writeValueAsString(value);
    }

    /** The names that a template can use for several changes: those of the last change, and {@code changes} for all of them. */
    static Map<String, @Nullable Object> data(List<RowChange> changes) {
        Map<String, @Nullable Object> data =
                new LinkedHashMap<>(changes.get(changes.size() - 1).data());
        data.put("count", changes.size());
        data.put("changes", changes.stream().map(RowChange::data).toList());
        return data;
    }
}
