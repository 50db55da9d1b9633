package org.pgbaton.server.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Describes tables of keys as a JSON Schema, for editors. */
public final class JsonSchema {
    private JsonSchema() {}

    /** The whole document. */
    public static Map<String, Object> document(Section file, String title) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", title);
        schema.putAll(of(file));
        return schema;
    }

    static Map<String, Object> of(Section section) {
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        List<Object> either = new ArrayList<>();
        for (Key<?> key : section.keys()) {
            properties.put(key.name(), property(key));
            if (key.isSecret()) {
                properties.put(
                        key.name() + Key.FILE, JsonObject.of("type", "string", "description", "A file that has '" + key + "'."));
            }
            if (key.isRequired() && key.isSecret()) {
                either.add(JsonObject.of(
                        "oneOf",
                        key.names().stream()
                                .map(name -> JsonObject.of("required", List.of(name)))
                                .toList()));
            } else if (key.isRequired()) {
                required.add(key.name());
            }
        }
        Map<String, Object> schema = new LinkedHashMap<>();
        boolean mayBeEmpty = required.isEmpty()
                && either.isEmpty()
                && !section.isExactlyOne()
                && section.atLeastOneOf().isEmpty();
        schema.put("type", mayBeEmpty ? List.of("object", "null") : "object");
        schema.put("additionalProperties", false);
        schema.put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        if (!either.isEmpty()) {
            schema.put("allOf", either);
        }
        if (!section.atLeastOneOf().isEmpty()) {
            schema.put(
                    "anyOf",
                    section.atLeastOneOf().stream()
                            .map(key -> JsonObject.of("required", List.of(key.name())))
                            .toList());
        }
        if (section.isExactlyOne()) {
            schema.put("minProperties", 1);
            schema.put("maxProperties", 1);
        }
        return schema;
    }

    private static Map<String, Object> property(Key<?> key) {
        Map<String, Object> property = new LinkedHashMap<>();
        property.put("description", key.meaning());
        if (key.standard() != null) {
            property.put("default", key.kind().json(key.standard()));
        }
        property.putAll(key.kind().schema());
        return property;
    }
}
