package org.pgbaton.server.config;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A mapping with at least one entry, whose names are free. */
final class MappingKind<T> extends Kind<Map<String, T>> {
    private final Kind<T> kind;

    /** @param kind of the entries' values */
    MappingKind(Kind<T> kind) {
        this.kind = kind;
    }

    @Override
    @Nullable
    Map<String, T> read(Value value, Place place) {
        if (!(value instanceof Value.Entries entries) || entries.entries().isEmpty()) {
            place.mustBe("a mapping with at least one entry", value);
            return null;
        }
        Map<String, T> all = new LinkedHashMap<>();
        boolean whole = true;
        for (Value.Entry entry : entries.entries()) {
            Place at = new Place(place.reading(), entry.key(), place.key(), entry.line(), place.secret());
            T one = kind.read(entry.value(), at);
            whole &= one != null;
            if (one != null && all.put(entry.key(), one) != null) {
                at.problem("key " + at.name() + " is given twice");
            }
        }
        return whole ? all : null;
    }

    @Override
    Map<String, Object> schema() {
        return JsonObject.of("type", "object", "minProperties", 1, "additionalProperties", kind.schema());
    }
}
