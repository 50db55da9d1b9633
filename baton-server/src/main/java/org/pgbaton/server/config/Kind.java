package org.pgbaton.server.config;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A kind of value that a key may have. The same kind reads a value and describes it in a JSON Schema, so that both accept the same. Immutable.
 *
 * @param <T> what a value is read as
 */
public abstract class Kind<T> {
    /** The types of a JSON Schema that are a text in YAML. */
    static final List<String> ANY_TEXT = List.of("string", "number", "boolean");

    Kind() {}

    /** Reads a value. Returns null, and notes a problem, if it is not of this kind. */
    abstract @Nullable T read(Value value, Place place);

    /** The values of this kind, in terms of JSON Schema. */
    abstract Map<String, Object> schema();

    /** The JSON value that is written like this, for defaults in a JSON Schema. */
    Object json(String text) {
        return text;
    }

    /** Reads the content of a file that is named in place of the value. Returns null, and notes a problem, if it is not of this kind. */
    @Nullable
    T readContent(String content, Place place) {
        return read(new Value.Text(place.line(), content.replace("${", "$${"), content.isEmpty()), place);
    }

    /** A list of such values, at least one. */
    public final Kind<List<T>> list() {
        return new ListKind<>(this);
    }

    /** A mapping of any names to such values, at least one. */
    public final Kind<Map<String, T>> byName() {
        return new MappingKind<>(this);
    }

    /** Such a value, or a text that stands for one. */
    public final Kind<T> orText(Function<String, T> meaning) {
        Kind<T> kind = this;
        return new Kind<>() {
            @Override
            @Nullable
            T read(Value value, Place place) {
                if (!(value instanceof Value.Text text) || text.absent()) {
                    return kind.read(value, place);
                }
                String resolved = place.text(value, "a text");
                return resolved == null ? null : meaning.apply(resolved);
            }

            @Override
            Map<String, Object> schema() {
                return JsonObject.of("anyOf", List.of(kind.schema(), JsonObject.of("type", ANY_TEXT)));
            }
        };
    }

    /** Such a value, turned into something else. What becomes of a value with problems is not used. */
    public final <R> Kind<R> map(Function<T, R> meaning) {
        Kind<T> kind = this;
        return new Kind<>() {
            @Override
            @Nullable
            R read(Value value, Place place) {
                T read = kind.read(value, place);
                return read == null ? null : meaning.apply(read);
            }

            @Override
            Map<String, Object> schema() {
                return kind.schema();
            }
        };
    }
}
