package org.pgbaton.log;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One row of a log, as it was written. Immutable, except that the payload's bytes are handed out without a copy: do not
 * change them.
 *
 * <p>Outside this database the {@link #id} identifies a message; a {@link #position} orders it, and can be given out again
 * after the database lost its end in a crash or failover.
 */
public final class Message {
    private final long position;
    private final int lane;
    private final String key;
    private final @Nullable Long version;
    private final @Nullable String type;
    private final @Nullable String topic;
    private final UUID id;
    private final boolean json;
    private final byte[] payload;
    private final @Nullable String headers;
    private final Instant recordedAt;
    private final @Nullable String unreadable;

    Message(
            long position,
            int lane,
            String key,
            @Nullable Long version,
            @Nullable String type,
            @Nullable String topic,
            UUID id,
            boolean json,
            byte[] payload,
            @Nullable String headers,
            Instant recordedAt,
            @Nullable String unreadable) {
        this.position = position;
        this.lane = lane;
        this.key = key;
        this.version = version;
        this.type = type;
        this.topic = topic;
        this.id = id;
        this.json = json;
        this.payload = payload;
        this.headers = headers;
        this.recordedAt = recordedAt;
        this.unreadable = unreadable;
    }

    /** A message that is in no log, to try a publisher out with; its position is 0. */
    public static Message unlogged(UUID id, String key, @Nullable String type, byte[] json, Instant at) {
        return new Message(0, 0, key, null, type, null, id, true, json, null, at, null);
    }

    /**
     * Something made of this message, with an identity of its own, to be sent in its stead: place, key, type, topic and headers stay.
     *
     * @param asJson whether the bytes are JSON text in UTF-8
     */
    public Message replaced(UUID otherId, boolean asJson, byte[] bytes) {
        return new Message(
                position, lane, key, version, type, topic, otherId, asJson, bytes, headers, recordedAt, null);
    }

    /** Why its body could not be read, and is empty; null for every message that a handler gets. */
    public @Nullable String unreadable() {
        return unreadable;
    }

    /** Its place in the log. */
    public long position() {
        return position;
    }

    public int lane() {
        return lane;
    }

    /** What must stay in order. A message that was written without a key has its id as key. */
    public String key() {
        return key;
    }

    /** Its number within the stream of its key; null if it was written without. */
    public @Nullable Long version() {
        return version;
    }

    public @Nullable String type() {
        return type;
    }

    public @Nullable String topic() {
        return topic;
    }

    /** Its identity, also outside this database. */
    public UUID id() {
        return id;
    }

    /** Whether it was written as JSON text; else as bytes. */
    public boolean isJson() {
        return json;
    }

    /** The bytes that were written; of JSON its text in UTF-8. */
    public byte[] payload() {
        return payload;
    }

    /** The payload, decoded with the codec that it was written with. */
    public <T> T payload(Codec<T> codec) {
        return codec.decode(payload);
    }

    public String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }

    /** A JSON object, as it was written. */
    public @Nullable String headers() {
        return headers;
    }

    /** The same, by name: strings as they are, other values as their JSON text, without nulls. */
    public Map<String, String> headerMap() {
        return Headers.of(headers);
    }

    /** When the row was written, by the database's clock. */
    public Instant recordedAt() {
        return recordedAt;
    }

    @Override
    public String toString() {
        return "message " + position + " of key '" + (key.length() <= 60 ? key : key.substring(0, 60) + "…") + "'"
                + (type == null ? "" : ", " + type);
    }
}
