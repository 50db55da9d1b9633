package org.pgbaton.log;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.json.Json;

/**
 * A message before it has a position. Immutable: each method gives another draft with the same id, unless it sets the id.
 *
 * <pre>{@code
 * Draft.json("{\"amount\": 10}").key("account-42").type("Deposited")
 * }</pre>
 *
 * <p>The id is made when the draft is. An append whose id is in the log already adds nothing; so whoever does not know
 * whether an append was committed appends the same draft again.
 *
 * <p>What PostgreSQL would refuse is refused here, with an {@link IllegalArgumentException} that says why.
 */
public final class Draft {
    private static final int LONGEST_KEY = 1000;

    private final UUID id;
    private final @Nullable String key;
    private final @Nullable String type;
    private final @Nullable String topic;
    private final @Nullable String headers;
    private final @Nullable String json;
    private final byte @Nullable [] bytes;

    private Draft(
            UUID id,
            @Nullable String key,
            @Nullable String type,
            @Nullable String topic,
            @Nullable String headers,
            @Nullable String json,
            byte @Nullable [] bytes) {
        this.id = id;
        this.key = key;
        this.type = type;
        this.topic = topic;
        this.headers = headers;
        this.json = json;
        this.bytes = bytes;
    }

    /** The text is stored as it is, to the last blank. */
    public static Draft json(String text) {
        return new Draft(
                UuidV7.next(), null, null, null, null, Json.checked("The payload", storable("payload", text)), null);
    }

    /** Any bytes, also none. */
    public static Draft bytes(byte[] bytes) {
        return new Draft(UuidV7.next(), null, null, null, null, null, bytes.clone());
    }

    public static <T> Draft of(T value, Codec<T> codec) {
        byte[] payload = codec.encode(value);
        return codec.isJson() ? json(new String(payload, StandardCharsets.UTF_8)) : bytes(payload);
    }

    /** What must stay in order: 0 to 1000 bytes in UTF-8. Without it the message's id is its key. */
    public Draft key(String key) {
        return new Draft(id, checkedKey(key), type, topic, headers, json, bytes);
    }

    /** What happened, for whoever reads: {@code Deposited}. */
    public Draft type(String type) {
        return new Draft(id, key, storable("type", type), topic, headers, json, bytes);
    }

    /** Where a publisher sends it. An outbox wants one: 1 to 249 visible ASCII characters. */
    public Draft topic(String topic) {
        return new Draft(id, key, type, storable("topic", topic), headers, json, bytes);
    }

    /** The message's identity everywhere, instead of a new UUID of version 7: it makes the append idempotent. */
    public Draft id(UUID id) {
        return new Draft(Objects.requireNonNull(id, "id"), key, type, topic, headers, json, bytes);
    }

    /** Stored as a JSON object, in the map's order. Replaces the headers it had. */
    public Draft headers(Map<String, String> headers) {
        return headersJson(Json.object(headers));
    }

    /** A JSON object, stored as it is. Replaces the headers it had. */
    public Draft headersJson(String object) {
        return new Draft(
                id,
                key,
                type,
                topic,
                Json.checkedObject("The headers text", storable("headers text", object)),
                json,
                bytes);
    }

    public UUID id() {
        return id;
    }

    @Nullable
    String key() {
        return key;
    }

    @Nullable
    String type() {
        return type;
    }

    @Nullable
    String topic() {
        return topic;
    }

    @Nullable
    String headers() {
        return headers;
    }

    @Nullable
    String json() {
        return json;
    }

    byte @Nullable [] bytes() {
        return bytes;
    }

    /** About how many bytes it takes to send. */
    int weight() {
        return 100 + length(json) + length(headers) + length(key) + (bytes == null ? 0 : bytes.length);
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    static String checkedKey(String key) {
        int length = storable("key", key).getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST_KEY) {
            throw new IllegalArgumentException("The key '" + key.substring(0, 40) + "…' has " + length
                    + " bytes in UTF-8: give at most " + LONGEST_KEY + ".");
        }
        return key;
    }

    /** PostgreSQL's text holds any character but NUL; half of a surrogate pair is no character, and has no UTF-8. */
    static String storable(String what, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw new IllegalArgumentException("The " + what + " has a NUL character at place " + (i + 1)
                        + ", which PostgreSQL cannot store in text; leave it out.");
            }
            if (Character.isSurrogate(c)) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
                    throw new IllegalArgumentException("The " + what + " has half of a surrogate pair at place "
                            + (i + 1) + ", which is no character and has no UTF-8; leave it out.");
                }
                i++;
            }
        }
        return text;
    }

    @Override
    public String toString() {
        return "draft " + id + (key == null ? "" : " of key '" + key + "'") + (type == null ? "" : ", " + type);
    }
}
