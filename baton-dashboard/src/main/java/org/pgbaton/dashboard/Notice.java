package org.pgbaton.dashboard;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.http.Request;

/** What was done, for the next page: a cookie, so that no link can put words into the dashboard's mouth. */
final class Notice {
    private static final String COOKIE = "baton_notice";

    private Notice() {}

    static @Nullable String in(Request request) {
        String cookie = request.cookie(COOKIE);
        try {
            return cookie == null || cookie.isEmpty() ? null : URLDecoder.decode(cookie, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notOurs) {
            return null;
        }
    }

    static String remember(String sentence, String path) {
        return COOKIE + "=" + URLEncoder.encode(sentence, StandardCharsets.UTF_8) + "; Path=" + path
                + "; HttpOnly; SameSite=Strict; Max-Age=20";
    }

    static String forget(String path) {
        return COOKIE + "=; Path=" + path + "; HttpOnly; SameSite=Strict; Max-Age=0";
    }
}
