package org.pgbaton.chaos.report;

import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON in the order of the records' components. What is missing reads as null or 0, and what is unknown is left out. */
final class Json {
    static final JsonMapper COMPACT = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .disable(
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                    DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    static final JsonMapper INDENTED =
            COMPACT.rebuild().enable(SerializationFeature.INDENT_OUTPUT).build();

    private Json() {}
}
