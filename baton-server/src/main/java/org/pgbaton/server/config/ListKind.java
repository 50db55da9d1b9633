package org.pgbaton.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A list with at least one entry. */
final class ListKind<T> extends Kind<List<T>> {
    private final Kind<T> kind;

    /** @param kind of the entries */
    ListKind(Kind<T> kind) {
        this.kind = kind;
    }

    @Override
    @Nullable
    List<T> read(Value value, Place place) {
        if (!(value instanceof Value.Items items) || items.values().isEmpty()) {
            place.mustBe("a list with at least one entry", value);
            return null;
        }
        List<T> all = new ArrayList<>();
        for (Value each : items.values()) {
            T one = kind.read(each, place.at(each.line()));
            if (one != null) {
                all.add(one);
            }
        }
        return all.size() < items.values().size() ? null : List.copyOf(all);
    }

    @Override
    Map<String, Object> schema() {
        return JsonObject.of("type", "array", "minItems", 1, "items", kind.schema());
    }
}
