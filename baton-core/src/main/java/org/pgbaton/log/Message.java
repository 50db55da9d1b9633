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
public interface Message {
    /** Makes a message that is in no log, to try a handler or a publisher out with; its position is 0. */
    static Message unlogged(UUID id, String key, @Nullable String type, byte[] json, Instant at) {
        return new MessageCopy(0, 0, key, null, type, null, id, true, json, null, at);
    }

    /** Its place in the log. */
    long position();

    /** The lane of its key. */
    int lane();

    /** What must stay in order. A message that was written without a key has its id as key. */
    String key();

    /** Its number within the stream of its key; null if it was written without. */
    @Nullable
    Long version();

    /** What happened, as its writer named it; null if it was written without. */
    @Nullable
    String type();

    /** Where a publisher sends it; null if it was written without. */
    @Nullable
    String topic();

    /** Its identity, also outside this database. */
    UUID id();

    /** Whether it was written as JSON text; else as bytes. */
    boolean isJson();

    /** The bytes that were written; of JSON its text in UTF-8. */
    byte[] payload();

    /** A JSON object, as it was written; null if it was written without. */
    @Nullable
    String headers();

    /** When the row was written, by the database's clock. */
    Instant recordedAt();

    /** The payload, decoded with the codec that it was written with. */
    default <T> T payload(Codec<T> codec) {
        return codec.decode(payload());
    }

    /** The payload as text in UTF-8. */
    default String text() {
        return new String(payload(), StandardCharsets.UTF_8);
    }

    /** The headers by name: strings as they are, other values as their JSON text, without nulls. */
    default Map<String, String> headerMap() {
        return Headers.of(headers());
    }

    /**
     * A copy with another identity and payload, to be sent in its stead. Place, key, type, topic and headers stay.
     *
     * @param asJson whether the bytes are JSON text in UTF-8
     */
    default Message replaced(UUID otherId, boolean asJson, byte[] bytes) {
        return new MessageCopy(
                position(), lane(), key(), version(), type(), topic(), otherId, asJson, bytes, headers(), recordedAt());
    }
}
