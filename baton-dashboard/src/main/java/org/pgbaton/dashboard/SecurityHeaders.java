package org.pgbaton.dashboard;

import java.util.LinkedHashMap;
import java.util.Map;
import org.pgbaton.dashboard.http.Answer;

/** What browsers are told about every answer: no script but ours, no frame, no other site. */
final class SecurityHeaders {
    private static final Map<String, String> ALL = Map.of(
            "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                            + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Referrer-Policy", "same-origin",
            "Cross-Origin-Opener-Policy", "same-origin",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Cache-Control", "no-store");

    private SecurityHeaders() {}

    /** Headers that the answer has already win. */
    static Answer on(Answer answer) {
        if (answer instanceof Answer.Whole whole) {
            return new Answer.Whole(whole.status(), whole.type(), with(whole.headers()), whole.body());
        }
        Answer.Events events = (Answer.Events) answer;
        return new Answer.Events(with(events.headers()), events.stream());
    }

    private static Map<String, String> with(Map<String, String> theirs) {
        Map<String, String> all = new LinkedHashMap<>(ALL);
        all.putAll(theirs);
        return all;
    }
}
