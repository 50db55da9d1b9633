package org.pgbaton.server.config;

import java.util.LinkedHashMap;
import java.util.Map;

/** JSON objects that keep the order of their names, so that the same schema is always printed alike. */
final class JsonObject {
    private JsonObject() {}

    static Map<String, Object> of(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }
}
