package org.pgbaton.dashboard.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request, freed of its server. Immutable.
 *
 * @param path below the place where the dashboard is mounted: {@code /parked}; decoded
 * @param query decoded; of several values of a name the first
 * @param form the fields of a body of type {@code application/x-www-form-urlencoded}
 * @param headers with names in lower case
 * @param formFields hidden fields that every form must carry, because whoever mounts the dashboard looks for them in what forms send; asked
 *     only when a form is made
 */
public record Request(
        String method,
        String path,
        Map<String, String> query,
        Map<String, String> form,
        Map<String, String> headers,
        Viewer viewer,
        Supplier<Map<String, String>> formFields) {

    /** A request to a server that wants no fields of its own in forms. */
    public Request(
            String method,
            String path,
            Map<String, String> query,
            Map<String, String> form,
            Map<String, String> headers,
            Viewer viewer) {
        this(method, path, query, form, headers, viewer, Map::of);
    }

    /** The fields of a query or a form: {@code a=1&b=2}. A field that cannot be decoded is left out. */
    public static Map<String, String> fields(@Nullable String encoded) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (encoded == null || encoded.isEmpty()) {
            return fields;
        }
        for (String pair : encoded.split("&", 200)) {
            int equals = pair.indexOf('=');
            try {
                String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
                fields.putIfAbsent(name, equals < 0 ? "" : decoded(pair.substring(equals + 1)));
            } catch (IllegalArgumentException notEncoded) {
                // Nobody who means well sends that.
            }
        }
        return fields;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** The value of a cookie; null if there is none. */
    public @Nullable String cookie(String name) {
        String all = headers.getOrDefault("cookie", "");
        for (String each : all.split(";")) {
            String trimmed = each.strip();
            if (trimmed.startsWith(name + "=")) {
                return trimmed.substring(name.length() + 1);
            }
        }
        return null;
    }

    /** A header; null if there is none. */
    public @Nullable String header(String name) {
        return headers.get(name.toLowerCase(Locale.ROOT));
    }

    /** Whether it only reads. */
    public boolean isReading() {
        return method.equals("GET") || method.equals("HEAD");
    }

    /** The same request for another path and query: what a live page shows. */
    public Request at(String otherPath, Map<String, String> otherQuery) {
        return new Request("GET", otherPath, otherQuery, Map.of(), headers, viewer, formFields);
    }
}
