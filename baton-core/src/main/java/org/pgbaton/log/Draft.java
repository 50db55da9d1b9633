package org.pgbaton.log;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.json.Json;
import org.pgbaton.json.StorableText;

/**
 * A message before it has a position. Immutable: each method gives another draft with the same id, unless it sets the id.
 *
 * <pre>{@code
 * Draft deposited = Draft.json("{\"amount\": 10}").key("account-42").type("Deposited");
 * }</pre>
 *
 * <p>The id is made when the draft is. An append whose id is in the log already adds nothing; so whoever does not know
 * whether an append was committed appends the same draft again.
 *
 * <p>What PostgreSQL would refuse is refused here, with an {@link IllegalArgumentException} that says why.
 */
public final class Draft {
    /** The header that has the version of the payload's form; see {@link #payloadVersion(int)}. */
    public static final String PAYLOAD_VERSION = "payload-version";

    private static final int NO_VERSION = 0;

    private final UUID id;
    private final @Nullable String key;
    private final @Nullable String type;
    private final @Nullable String topic;
    private final @Nullable String headers;
    private final @Nullable String json;
    private final byte @Nullable [] bytes;
    private final int payloadVersion;

    private Draft(
            UUID id,
            @Nullable String key,
            @Nullable String type,
            @Nullable String topic,
            @Nullable String headers,
            @Nullable String json,
            byte @Nullable [] bytes,
            int payloadVersion) {
        this.id = id;
        this.key = key;
        this.type = type;
        this.topic = topic;
        this.headers = headers;
        this.json = json;
        this.bytes = bytes;
        this.payloadVersion = payloadVersion;
    }

    /** Makes a draft of JSON text, which is stored as it is, to the last blank. */
    public static Draft json(String text) {
        return new Draft(
                UuidV7.next(),
                null,
                null,
                null,
                null,
                Json.checked("The payload", StorableText.checked("payload", text)),
                null,
                NO_VERSION);
    }

    /** Makes a draft of any bytes, also none. */
    public static Draft bytes(byte[] bytes) {
        return new Draft(UuidV7.next(), null, null, null, null, null, bytes.clone(), NO_VERSION);
    }

    /** Makes a draft of a value, as JSON or as bytes, whichever the codec gives. */
    public static <T> Draft of(T value, Codec<T> codec) {
        byte[] payload = codec.encode(value);
        return codec.isJson() ? json(new String(payload, StandardCharsets.UTF_8)) : bytes(payload);
    }

    /** Sets what must stay in order: 0 to 1000 bytes in UTF-8. Without it the message's id is its key. */
    public Draft key(String key) {
        return new Draft(id, StorableText.key(key), type, topic, headers, json, bytes, payloadVersion);
    }

    /** Sets what happened, for whoever reads: {@code Deposited}. */
    public Draft type(String type) {
        return new Draft(id, key, StorableText.checked("type", type), topic, headers, json, bytes, payloadVersion);
    }

    /** Sets where a publisher sends it. An outbox wants one: 1 to 249 visible ASCII characters. */
    public Draft topic(String topic) {
        return new Draft(id, key, type, StorableText.checked("topic", topic), headers, json, bytes, payloadVersion);
    }

    /** Sets the message's identity everywhere, instead of a new UUID of version 7: it makes the append idempotent. */
    public Draft id(UUID id) {
        return new Draft(Objects.requireNonNull(id, "id"), key, type, topic, headers, json, bytes, payloadVersion);
    }

    /** Sets the headers, stored as a JSON object in the map's order. Replaces the headers it had. */
    public Draft headers(Map<String, String> headers) {
        return headersJson(Json.object(headers));
    }

    /** Sets the headers to a JSON object, stored as it is. Replaces the headers it had. */
    public Draft headersJson(String object) {
        return new Draft(
                id,
                key,
                type,
                topic,
                Json.checkedObject("The headers text", StorableText.checked("headers text", object)),
                json,
                bytes,
                payloadVersion);
    }

    /** Adds a header to those it has. A header of the same name is not changed. */
    public Draft headerIfAbsent(String name, String value) {
        String object = headers == null ? "{}" : headers;
        return Headers.of(object).containsKey(name) ? this : headersJson(Json.with(object, name, value));
    }

    /**
     * Sets the version of the payload's form, for readers that know several: 1 to 999999999. It is stored among the headers, as {@link
     * #PAYLOAD_VERSION}, and stays there when headers are set.
     */
    public Draft payloadVersion(int version) {
        if (version < 1 || version > 999_999_999) {
            throw new IllegalArgumentException(
                    "A payload cannot have version " + version + ": give 1 to 999999999 (none counts as 1).");
        }
        return new Draft(id, key, type, topic, headers, json, bytes, version);
    }

    /** The message's identity: the one that was set, or the one that was made with the draft. */
    public UUID id() {
        return id;
    }

    /** The key, or null if none was set. */
    public @Nullable String key() {
        return key;
    }

    /** The type, or null if none was set. */
    public @Nullable String type() {
        return type;
    }

    /** The topic, or null if none was set. */
    public @Nullable String topic() {
        return topic;
    }

    /** The headers as a JSON object, the payload's version among them; null if none were set. */
    public @Nullable String headers() {
        return payloadVersion == NO_VERSION
                ? headers
                : Json.with(headers == null ? "{}" : headers, PAYLOAD_VERSION, Integer.toString(payloadVersion));
    }

    /** The payload if it is JSON text, otherwise null. */
    public @Nullable String json() {
        return json;
    }

    /** The payload if it is bytes, otherwise null. Handed out without a copy: do not change them. */
    public byte @Nullable [] bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return "draft " + id + (key == null ? "" : " of key '" + key + "'") + (type == null ? "" : ", " + type);
    }
}
