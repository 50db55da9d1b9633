package org.pgbaton.server.notice;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A notice, in named parts: {@code body} for a webhook; {@code subject}, {@code text} and optionally {@code html} for a mail. Immutable.
 *
 * @param asItIs whether the notice is the change itself, so that the bytes of the log are sent
 */
public record Notice(Map<String, String> parts, boolean asItIs) {
    static Notice of(String part, String text) {
        return new Notice(Map.of(part, text), false);
    }

    static Notice asItIs(String json) {
        return new Notice(Map.of("body", json), true);
    }

    static Notice mail(String subject, String text, @Nullable String html) {
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("subject", subject);
        parts.put("text", text);
        if (html != null) {
            parts.put("html", html);
        }
        return new Notice(parts, false);
    }

    String get(String part) {
        return String.valueOf(parts.get(part));
    }
}
