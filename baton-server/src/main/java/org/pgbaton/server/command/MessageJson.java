package org.pgbaton.server.command;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import tools.jackson.databind.util.RawValue;

/** A message as JSON. A JSON payload stays as it was written, with all digits of its numbers; only line breaks between values become blanks. */
public final class MessageJson {
    private MessageJson() {}

    public static Map<String, @Nullable Object> of(Message message) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("position", message.position());
        map.put("id", message.id());
        map.put("key", message.key());
        map.put("version", message.version());
        map.put("type", message.type());
        map.put("topic", message.topic());
        map.put("recordedAt", message.recordedAt());
        map.put("headers", message.headers() == null ? null : raw(message.headers()));
        if (message.isJson()) {
            map.put("payload", raw(message.text()));
        } else {
            map.put("data", Base64.getEncoder().encodeToString(message.payload()));
        }
        return map;
    }

    /** Strings in JSON have no control characters, so only the space between values changes. */
    private static RawValue raw(String json) {
        return new RawValue(json.replaceAll("[\\n\\r\\t]", " "));
    }
}
