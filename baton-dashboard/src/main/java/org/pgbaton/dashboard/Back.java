package org.pgbaton.dashboard;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The page to which an action leads back. */
final class Back {
    private Back() {}

    static String from(String prefix, Map<String, String> fields) {
        String subscription = encoded(fields.getOrDefault("subscription", ""));
        return prefix
                + switch (fields.getOrDefault("action", "")) {
                    case "pause", "resume" ->
                        "/subscription?name=" + subscription + "&target=" + encoded(fields.getOrDefault("target", ""));
                    case "retry", "skip", "retry-all" -> "/parked?subscription=" + subscription;
                    case "redact" -> "/messages?q=" + encoded(fields.getOrDefault("position", ""));
                    case "pause-capture", "resume-capture" -> "/captures";
                    default -> "/";
                };
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
