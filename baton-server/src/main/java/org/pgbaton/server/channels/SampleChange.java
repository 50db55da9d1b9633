package org.pgbaton.server.channels;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.UsageException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Makes a row change from the arguments of the command line, to try out a channel. */
final class SampleChange {
    private static final TypeReference<LinkedHashMap<String, @Nullable Object>> OBJECT = new TypeReference<>() {};
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private SampleChange() {}

    /**
     * @param row JSON of a whole change, or only of the row after an insert; null means a sample
     * @param table the table of a row
     * @param key the columns of its key; empty means the first column
     */
    static Message of(@Nullable String row, String table, List<String> key) {
        Map<String, @Nullable Object> given = row == null ? sample() : parsed(row);
        boolean whole = given.containsKey("table") && given.containsKey("operation");
        Map<String, @Nullable Object> change = new LinkedHashMap<>();
        change.put("table", table);
        change.put("operation", "insert");
        change.put("before", null);
        change.put("after", whole ? null : given);
        change.put("lsn", "0/16B3748");
        change.put("committedAt", Instant.now().toString());
        if (whole) {
            change.putAll(given);
        }
        return Message.unlogged(
                UUID.randomUUID(),
                keyOf(change, key),
                change.get("table") + "." + change.get("operation"),
                Output.jsonLine(change).getBytes(StandardCharsets.UTF_8),
                Instant.now());
    }

    private static Map<String, @Nullable Object> sample() {
        Map<String, @Nullable Object> sample = new LinkedHashMap<>();
        sample.put("id", 42);
        sample.put("note", "a sample, with <markup> & \"quotes\"");
        return sample;
    }

    private static Map<String, @Nullable Object> parsed(String row) {
        try {
            Map<String, @Nullable Object> parsed = JSON.readValue(row, OBJECT);
            if (parsed != null && !parsed.isEmpty()) {
                return parsed;
            }
        } catch (JacksonException wrong) {
            // The sentence below says what is wrong.
        }
        throw new UsageException("--row must be a JSON object with at least one column, for instance '{\"id\": 7}'.");
    }

    private static String keyOf(Map<String, @Nullable Object> change, List<String> key) {
        Object image = change.get("after") == null ? change.get("before") : change.get("after");
        if (!(image instanceof Map<?, ?> row) || row.isEmpty()) {
            return "sample";
        }
        return key.isEmpty()
                ? String.valueOf(row.values().iterator().next())
                : String.join(
                        ",",
                        key.stream()
                                .map(column -> String.valueOf(row.get(column)))
                                .toList());
    }
}
