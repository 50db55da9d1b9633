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
        List<String> required = section.keys().stream()
                .filter(key -> key.isRequired() && !key.isSecret())
                .map(Key::name)
                .toList();
        List<Object> either = new ArrayList<>();
        section.keys().stream()
                .filter(key -> key.isRequired() && key.isSecret())
                .forEach(key -> either.add(JsonObject.of("oneOf", eachRequired(key.names()))));
        boolean mayBeEmpty = required.isEmpty()
                && either.isEmpty()
                && !section.isExactlyOne()
                && section.atLeastOneOf().isEmpty();
        Map<String, Object> schema = JsonObject.of(
                "type",
                mayBeEmpty ? List.of("object", "null") : "object",
                "additionalProperties",
                false,
                "properties",
                properties(section));
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        if (!either.isEmpty()) {
            schema.put("allOf", either);
        }
        if (!section.atLeastOneOf().isEmpty()) {
            schema.put(
                    "anyOf",
                    eachRequired(section.atLeastOneOf().stream().map(Key::name).toList()));
        }
        if (section.isExactlyOne()) {
            schema.put("minProperties", 1);
            schema.put("maxProperties", 1);
        }
        return schema;
    }

    /** For each name an object that must have it. */
    private static List<Map<String, Object>> eachRequired(List<String> names) {
        return names.stream()
                .map(name -> JsonObject.of("required", List.of(name)))
                .toList();
    }

    private static Map<String, Object> properties(Section section) {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (Key<?> key : section.keys()) {
            properties.put(key.name(), property(key));
            if (key.isSecret()) {
                properties.put(
                        key.name() + Key.FILE,
                        JsonObject.of("type", "string", "description", "A file that has '" + key + "'."));
            }
        }
        return properties;
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
