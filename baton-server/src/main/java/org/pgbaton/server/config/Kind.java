package org.pgbaton.server.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.Suggestion;
import picocli.CommandLine.TypeConversionException;

/**
 * What values a key may have. The same kind reads a value and describes it in a JSON Schema, so that both know the same.
 *
 * @param <T> what it is read as
 */
public abstract class Kind<T> {
    private static final List<String> ANY_TEXT = List.of("string", "number", "boolean");

    Kind() {}

    /** The value; null if it is not of this kind, which is noted. */
    abstract @Nullable T read(Value value, Place place);

    /** For a JSON Schema. */
    abstract Map<String, Object> schema();

    /** A value that is written like this, for a JSON Schema. */
    Object json(String text) {
        return text;
    }

    /** From a file that is named in place of the value; null if it is not of this kind, which is noted. */
    @Nullable
    T readContent(String content, Place place) {
        return read(new Value.Text(place.line(), content.replace("${", "$${"), content.isEmpty()), place);
    }

    /** What belongs below, for whoever walks the tables. */
    List<Section> sections() {
        return List.of();
    }

    /** Any text that is not empty. */
    public static Kind<String> text() {
        return parsed(
                "a text that is not empty", JsonSchema.map("type", ANY_TEXT), text -> text.isBlank() ? null : text);
    }

    /** A name that can be shown in a line. */
    public static Kind<String> name() {
        return parsed(
                "a name of 1 to 200 characters",
                JsonSchema.map("type", ANY_TEXT),
                text -> text.isBlank() || text.length() > 200 || text.matches("(?s).*\\p{Cntrl}.*") ? null : text);
    }

    public static Kind<Boolean> truth() {
        return new Parsed<>("true or false", orReference(JsonSchema.map("type", "boolean")), text -> switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> null;
        }) {
            @Override
            Object json(String text) {
                return Boolean.valueOf(text);
            }
        };
    }

    public static Kind<Integer> whole(int least, int most) {
        Map<String, Object> schema = JsonSchema.map("type", "integer", "minimum", least, "maximum", most);
        return new Parsed<>("a whole number from " + least + " to " + most, orReference(schema), text -> {
            // Longer ones are too large, and would be no int.
            int number = text.matches("-?\\d{1,9}") ? Integer.parseInt(text) : Integer.MIN_VALUE;
            return number < least || number > most ? null : number;
        }) {
            @Override
            Object json(String text) {
                return Integer.valueOf(text);
            }
        };
    }

    /** Written like 500ms, 30s, 5m. */
    public static Kind<Duration> time(String least, String most) {
        Duration shortest = Durations.parse(least);
        Duration longest = Durations.parse(most);
        return parsed(
                "a time from " + least + " to " + most + ", written like 500ms, 30s or 5m",
                orReference(JsonSchema.map("type", "string", "pattern", "^\\d+(\\.\\d+)?(ms|s|m|h|d)$")),
                text -> {
                    try {
                        Duration time = Durations.parse(text);
                        return time.compareTo(shortest) < 0 || time.compareTo(longest) > 0 ? null : time;
                    } catch (TypeConversionException wrong) {
                        return null;
                    }
                });
    }

    /** One of these words. */
    public static <T> Kind<T> choice(Map<String, T> choices) {
        String words = String.join(", ", choices.keySet());
        return new Kind<>() {
            @Override
            @Nullable
            T read(Value value, Place place) {
                String text = place.text(value, "one of " + words);
                T chosen = text == null ? null : choices.get(text);
                if (text != null && chosen == null) {
                    place.mustBe(
                            "one of " + words,
                            value,
                            Suggestion.nearest(text, choices.keySet())
                                    .map(word -> ": did you mean '" + word + "'?")
                                    .orElse(""));
                }
                return chosen;
            }

            @Override
            Map<String, Object> schema() {
                return orReference(JsonSchema.map("enum", List.copyOf(choices.keySet())));
            }
        };
    }

    /**
     * One of these words, or a whole number from 0.
     *
     * @param expected for sentences: "origin or a position"
     * @param parser answers null if it is neither
     */
    public static <T> Kind<T> wordOrNumber(String expected, List<String> words, Function<String, @Nullable T> parser) {
        List<Object> either = List.of(JsonSchema.map("enum", words), JsonSchema.map("type", "integer", "minimum", 0));
        return parsed(expected, orReference(JsonSchema.map("anyOf", either)), parser);
    }

    /** Never shown in a problem: it may have a secret in it. */
    public static Kind<URI> url(String... schemes) {
        String expected = "a URL that begins with "
                + Arrays.stream(schemes).map(scheme -> scheme + "://").collect(Collectors.joining(" or "));
        Set<String> allowed = Set.of(schemes);
        return new Kind<>() {
            @Override
            @Nullable
            URI read(Value value, Place place) {
                String text = place.text(value, expected);
                URI url = text == null ? null : parse(text);
                if (text != null && url == null) {
                    place.hidden().mustBe(expected + " and names a host", value);
                }
                return url;
            }

            private @Nullable URI parse(String text) {
                try {
                    URI url = new URI(text);
                    return url.getScheme() != null && allowed.contains(url.getScheme()) && url.getHost() != null
                            ? url
                            : null;
                } catch (URISyntaxException wrong) {
                    return null;
                }
            }

            @Override
            Map<String, Object> schema() {
                return JsonSchema.map("type", "string");
            }
        };
    }

    /** A file that is there. */
    public static Kind<Path> file() {
        return new Kind<>() {
            @Override
            @Nullable
            Path read(Value value, Place place) {
                String text = place.text(value, "the path of a file");
                Path path = text == null ? null : place.reading().path(text, place.line());
                if (path != null && (!Files.isReadable(path) || Files.isDirectory(path))) {
                    place.problem("the file " + path + " of " + place.name() + " cannot be read");
                    return null;
                }
                return path;
            }

            @Override
            Map<String, Object> schema() {
                return JsonSchema.map("type", "string");
            }
        };
    }

    /** A list of texts, at least one. Problems are shown without what is written. */
    public static Kind<List<String>> texts() {
        return new Kind<>() {
            @Override
            @Nullable
            List<String> read(Value value, Place place) {
                if (!(value instanceof Value.Items items) || items.values().isEmpty()) {
                    place.hidden().mustBe("a list of texts", value);
                    return null;
                }
                List<String> texts = new ArrayList<>();
                for (Value each : items.values()) {
                    String text = text().read(each, place.hidden().at(each.line()));
                    if (text != null) {
                        texts.add(text);
                    }
                }
                return texts.size() < items.values().size() ? null : texts;
            }

            @Override
            @Nullable
            List<String> readContent(String content, Place place) {
                List<String> lines =
                        content.lines().filter(line -> !line.isBlank()).toList();
                if (lines.isEmpty()) {
                    place.problem("the file of " + place.name() + " is empty");
                    return null;
                }
                return lines;
            }

            @Override
            Map<String, Object> schema() {
                return JsonSchema.map("type", "array", "minItems", 1, "items", JsonSchema.map("type", ANY_TEXT));
            }
        };
    }

    /** Texts by name, whatever the names are. Problems are shown without what is written. */
    public static Kind<Map<String, String>> textsByName() {
        return new Kind<>() {
            @Override
            @Nullable
            Map<String, String> read(Value value, Place place) {
                if (!(value instanceof Value.Entries entries)) {
                    place.hidden().mustBe("a mapping of names to texts", value);
                    return null;
                }
                Map<String, String> texts = new LinkedHashMap<>();
                boolean whole = true;
                for (Value.Entry entry : entries.entries()) {
                    Place at = new Place(place.reading(), entry.key(), place.key(), entry.line(), true);
                    String text = text().read(entry.value(), at);
                    whole &= text != null;
                    if (text != null && texts.put(entry.key(), text) != null) {
                        at.problem("key " + at.name() + " is given twice");
                    }
                }
                return whole ? texts : null;
            }

            @Override
            Map<String, Object> schema() {
                return JsonSchema.map("type", "object", "additionalProperties", JsonSchema.map("type", ANY_TEXT));
            }
        };
    }

    /**
     * A text of this form.
     *
     * @param expected for sentences: "a rate like 10/m"
     * @param form a regular expression for the whole of it
     * @param parser answers null if it makes no sense all the same
     */
    public static <T> Kind<T> form(String expected, String form, Function<String, @Nullable T> parser) {
        return parsed(
                expected,
                orReference(JsonSchema.map("type", "string", "pattern", "^" + form + "$")),
                text -> text.matches(form) ? parser.apply(text) : null);
    }

    /** A list of such values, at least one. */
    public static <T> Kind<List<T>> listOf(Kind<T> kind) {
        return new Kind<>() {
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
                return JsonSchema.map("type", "array", "minItems", 1, "items", kind.schema());
            }

            @Override
            List<Section> sections() {
                return kind.sections();
            }
        };
    }

    /** Values by name, whatever the names are, at least one. */
    public static <T> Kind<Map<String, T>> byName(Kind<T> kind) {
        return new Kind<>() {
            @Override
            @Nullable
            Map<String, T> read(Value value, Place place) {
                if (!(value instanceof Value.Entries entries)
                        || entries.entries().isEmpty()) {
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
                return JsonSchema.map("type", "object", "minProperties", 1, "additionalProperties", kind.schema());
            }

            @Override
            List<Section> sections() {
                return kind.sections();
            }
        };
    }

    /** Such a value, or a text that stands for one. */
    public static <T> Kind<T> orText(Kind<T> kind, Function<String, T> meaning) {
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
                return JsonSchema.map("anyOf", List.of(kind.schema(), JsonSchema.map("type", ANY_TEXT)));
            }

            @Override
            List<Section> sections() {
                return kind.sections();
            }
        };
    }

    /** Such a value, as something else. What it makes of a value that has problems is not used. */
    public static <A, B> Kind<B> mapped(Kind<A> kind, Function<A, B> meaning) {
        return new Kind<>() {
            @Override
            @Nullable
            B read(Value value, Place place) {
                A read = kind.read(value, place);
                return read == null ? null : meaning.apply(read);
            }

            @Override
            Map<String, Object> schema() {
                return kind.schema();
            }

            @Override
            List<Section> sections() {
                return kind.sections();
            }
        };
    }

    /** {@code null} (true) or {@code not null} (false). */
    public static Kind<Boolean> nullness() {
        return new Kind<>() {
            @Override
            @Nullable
            Boolean read(Value value, Place place) {
                String text = value instanceof Value.Text written ? written.text() : "";
                if (value instanceof Value.Text written && (written.absent() || text.equals("null"))) {
                    return true;
                }
                if (text.equals("not null")) {
                    return false;
                }
                place.mustBe("null or not null", value);
                return null;
            }

            @Override
            Map<String, Object> schema() {
                return JsonSchema.map(
                        "anyOf",
                        List.of(JsonSchema.map("type", "null"), JsonSchema.map("enum", List.of("null", "not null"))));
            }
        };
    }

    /**
     * A text that must mean something.
     *
     * @param expected for sentences: "a time"
     * @param parser answers null if it does not
     */
    private static <T> Kind<T> parsed(
            String expected, Map<String, Object> schema, Function<String, @Nullable T> parser) {
        return new Parsed<>(expected, schema, parser);
    }

    /** The same in a JSON Schema, or a reference to a variable in its place. */
    private static Map<String, Object> orReference(Map<String, Object> schema) {
        return JsonSchema.map("anyOf", List.of(schema, JsonSchema.map("type", "string", "pattern", "\\$\\{")));
    }

    private static class Parsed<T> extends Kind<T> {
        private final String expected;
        private final Map<String, Object> schema;
        private final Function<String, @Nullable T> parser;

        Parsed(String expected, Map<String, Object> schema, Function<String, @Nullable T> parser) {
            this.expected = expected;
            this.schema = schema;
            this.parser = parser;
        }

        @Override
        @Nullable
        T read(Value value, Place place) {
            String text = place.text(value, expected);
            T parsed = text == null ? null : parser.apply(text);
            if (text != null && parsed == null) {
                place.mustBe(expected, value);
            }
            return parsed;
        }

        @Override
        Map<String, Object> schema() {
            return schema;
        }
    }
}
