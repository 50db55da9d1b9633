package org.pgbaton.table;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.pgbaton.json.Json;
import org.pgbaton.log.Draft;

/** Refuses messages for an outbox that no target could take. The database refuses the same: see {@code message_fault}. */
final class Admission {
    private static final int LONGEST_TOPIC = 249;
    private static final int LARGEST_HEADERS = 16_384;

    private Admission() {}

    /** @throws IllegalArgumentException that says why the draft could never be published */
    static void require(Draft draft, String log, int payloadLimit) {
        requireTopic(draft.topic());
        int payload = draft.bytes() == null ? bytes(draft.json()) : draft.bytes().length;
        if (payload > payloadLimit) {
            throw new IllegalArgumentException("The payload has " + payload + " bytes, and log '" + log + "' takes "
                    + payloadLimit + ": send a reference to it, or raise the limit with 'baton logs limit'.");
        }
        int headers = bytes(draft.headers());
        if (headers > LARGEST_HEADERS) {
            throw new IllegalArgumentException(
                    "The headers have " + headers + " bytes: give at most " + LARGEST_HEADERS + ".");
        }
        if (draft.headers() != null && !Json.isFlat(draft.headers())) {
            throw new IllegalArgumentException(
                    "The headers are not a JSON object of texts, numbers, booleans and nulls.");
        }
    }

    private static void requireTopic(@Nullable String topic) {
        if (topic == null || topic.isEmpty()) {
            throw new IllegalArgumentException("The message has no topic: say where it goes, in 1 to " + LONGEST_TOPIC
                    + " visible ASCII characters.");
        }
        if (topic.codePointCount(0, topic.length()) > LONGEST_TOPIC) {
            throw new IllegalArgumentException("The topic '" + topic.substring(0, 40) + "…' has "
                    + topic.codePointCount(0, topic.length()) + " characters: give 1 to " + LONGEST_TOPIC + ".");
        }
        if (!topic.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new IllegalArgumentException("The topic '" + topic.replaceAll("[^ -~]", "?")
                    + "' has a blank, a control character or one that is not ASCII: brokers refuse it.");
        }
    }

    private static int bytes(@Nullable String text) {
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }
}
