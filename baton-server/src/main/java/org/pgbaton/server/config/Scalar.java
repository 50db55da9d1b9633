package org.pgbaton.server.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.Suggestion;
import picocli.CommandLine.TypeConversionException;

/** Kinds of a single text that must mean something: a name, a number, a time, a file. References to variables in it are resolved. */
public final class Scalar {
    private Scalar() {}

    /** Any text that is not empty. */
    public static Kind<String> text() {
        return new Parsed<>(
                "a text that is not empty", JsonObject.of("type", Kind.ANY_TEXT), text -> text.isBlank() ? null : text);
    }

    /** A name of one line. */
    public static Kind<String> name() {
        return new Parsed<>(
                "a name of 1 to 200 characters",
                JsonObject.of("type", Kind.ANY_TEXT),
                text -> text.isBlank() || text.length() > 200 || text.matches("(?s).*\\p{Cntrl}.*") ? null : text);
    }

    public static Kind<Boolean> truth() {
        return new Parsed<>("true or false", orReference(JsonObject.of("type", "boolean")), text -> switch (text) {
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
        Map<String, Object> schema = JsonObject.of("type", "integer", "minimum", least, "maximum", most);
        return new Parsed<>("a whole number from " + least + " to " + most, orReference(schema), text -> {
            // A text of more digits is too large for the range, and would be no int.
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
        return new Parsed<>(
                "a time from " + least + " to " + most + ", written like 500ms, 30s or 5m",
                orReference(JsonObject.of("type", "string", "pattern", "^\\d+(\\.\\d+)?(ms|s|m|h|d)$")),
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
                return orReference(JsonObject.of("enum", List.copyOf(choices.keySet())));
            }
        };
    }

    /**
     * One of these words, or a whole number from 0.
     *
     * @param expected for sentences: "origin or a position"
     * @param parser returns null if it is neither
     */
    public static <T> Kind<T> wordOrNumber(String expected, List<String> words, Function<String, @Nullable T> parser) {
        List<Object> either = List.of(JsonObject.of("enum", words), JsonObject.of("type", "integer", "minimum", 0));
        return new Parsed<>(expected, orReference(JsonObject.of("anyOf", either)), parser);
    }

    /** A URL with one of these schemes and a host. Problems do not show it, because it may contain a secret. */
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
                return JsonObject.of("type", "string");
            }
        };
    }

    /** A file that can be read. */
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
                return JsonObject.of("type", "string");
            }
        };
    }

    /**
     * A text of this form.
     *
     * @param expected for sentences: "a rate like 10/m"
     * @param form a regular expression for the whole text
     * @param parser returns null if a text of that form makes no sense all the same
     */
    public static <T> Kind<T> form(String expected, String form, Function<String, @Nullable T> parser) {
        return new Parsed<>(
                expected,
                orReference(JsonObject.of("type", "string", "pattern", "^" + form + "$")),
                text -> text.matches(form) ? parser.apply(text) : null);
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
                return JsonObject.of(
                        "anyOf",
                        List.of(JsonObject.of("type", "null"), JsonObject.of("enum", List.of("null", "not null"))));
            }
        };
    }

    /** In a JSON Schema: this, or a text with a reference to a variable. */
    private static Map<String, Object> orReference(Map<String, Object> schema) {
        return JsonObject.of("anyOf", List.of(schema, JsonObject.of("type", "string", "pattern", "\\$\\{")));
    }

    private static class Parsed<T> extends Kind<T> {
        private final String expected;
        private final Map<String, Object> schema;
        private final Function<String, @Nullable T> parser;

        /**
         * @param expected for sentences: "a time"
         * @param parser returns null if a text is not of this kind
         */
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
