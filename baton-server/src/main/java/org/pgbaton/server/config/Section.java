package org.pgbaton.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.Suggestion;

/** A table of keys, with conditions among them. Reading a section goes on after a problem, so that all of them are found. Immutable. */
public final class Section {
    private final String name;
    private final List<Key<?>> keys;
    private final boolean exactlyOne;
    private final List<Key<?>> atLeastOneOf;
    private final @Nullable Key<String> namedBy;
    private final Consumer<Settings> check;

    private Section(
            String name,
            List<Key<?>> keys,
            boolean exactlyOne,
            List<Key<?>> atLeastOneOf,
            @Nullable Key<String> namedBy,
            Consumer<Settings> check) {
        this.name = name;
        this.keys = List.copyOf(keys);
        this.exactlyOne = exactlyOne;
        this.atLeastOneOf = List.copyOf(atLeastOneOf);
        this.namedBy = namedBy;
        this.check = check;
    }

    /** @param name for sentences: "unknown key in webhook"; empty for the file itself */
    public static Section of(String name, Key<?>... keys) {
        return new Section(name, List.of(keys), false, List.of(), null, settings -> {});
    }

    /** The same section with more keys after these. */
    public Section and(List<? extends Key<?>> more) {
        List<Key<?>> all = new ArrayList<>(keys);
        all.addAll(more);
        return new Section(name, all, exactlyOne, atLeastOneOf, namedBy, check);
    }

    /** A section that must have exactly one of these keys. */
    public static Section oneOf(String name, List<? extends Key<?>> keys) {
        return new Section(name, List.copyOf(keys), true, List.of(), null, settings -> {});
    }

    /** The same section, which must have at least one of these of its keys. */
    public Section atLeastOneOf(Key<?>... some) {
        return new Section(name, keys, exactlyOne, List.of(some), namedBy, check);
    }

    /** The same section, which sentences call by the value of this key. */
    public Section namedBy(Key<String> key) {
        return new Section(name, keys, exactlyOne, atLeastOneOf, key, check);
    }

    /** The same section with one more condition. It runs after all keys have been read, with right or wrong values. */
    public Section check(Consumer<Settings> condition) {
        return new Section(name, keys, exactlyOne, atLeastOneOf, namedBy, check.andThen(condition));
    }

    List<Key<?>> keys() {
        return keys;
    }

    List<Key<?>> atLeastOneOf() {
        return atLeastOneOf;
    }

    boolean isExactlyOne() {
        return exactlyOne;
    }

    /** One such section. */
    public Kind<Settings> kind() {
        return new Kind<>() {
            @Override
            Settings read(Value value, Place place) {
                return Section.this.read(value, place);
            }

            @Override
            Map<String, Object> schema() {
                return JsonSchema.of(Section.this);
            }
        };
    }

    /** A list of such sections. */
    public Kind<List<Settings>> list() {
        return new Kind<>() {
            @Override
            @Nullable
            List<Settings> read(Value value, Place place) {
                if (!(value instanceof Value.Items items)) {
                    place.mustBe("a list", value);
                    return null;
                }
                return items.values().stream()
                        .map(each -> Section.this.read(each, place.at(each.line())))
                        .toList();
            }

            @Override
            Map<String, Object> schema() {
                return JsonObject.of("type", "array", "items", JsonSchema.of(Section.this));
            }
        };
    }

    Settings read(Value value, Place place) {
        Reading reading = place.reading();
        List<Value.Entry> entries = List.of();
        if (value instanceof Value.Entries mapping) {
            entries = mapping.entries();
        } else if (!(value instanceof Value.Text text && text.absent())) {
            if (!(value instanceof Value.Refused)) {
                reading.problem(
                        place.line(), (name.isEmpty() ? "the file" : name) + " must be a mapping, not " + value.what());
            }
            return new Settings(name, place.line(), Map.of(), Map.of(), Map.of(), false, reading);
        }
        String title = title(entries);
        Map<Key<?>, Object> values = new HashMap<>();
        Map<Key<?>, Integer> lines = new HashMap<>();
        Map<Key<?>, Path> files = new HashMap<>();
        Map<String, Integer> seen = new HashMap<>();
        for (Value.Entry entry : entries) {
            Integer before = seen.putIfAbsent(entry.key(), entry.line());
            if (before != null) {
                reading.problem(
                        entry.line(),
                        "key '" + shown(entry.key()) + "'" + Place.in(title) + " is given twice, first in line "
                                + before);
                continue;
            }
            Optional<Key<?>> known = known(entry.key());
            if (known.isEmpty()) {
                reading.problem(entry.line(), unknown(entry.key(), title));
                continue;
            }
            Key<?> key = known.get();
            if (lines.putIfAbsent(key, entry.line()) != null) {
                reading.problem(
                        entry.line(),
                        "'" + key + "' and '" + key + Key.FILE + "'" + Place.in(title)
                                + " exclude each other: give one");
                continue;
            }
            Object read = read(key, entry, new Place(reading, entry.key(), title, entry.line(), key.isSecret()), files);
            if (read != null) {
                values.put(key, read);
            }
        }
        boolean whole = values.keySet().containsAll(lines.keySet())
                && keys.stream().filter(Key::isRequired).allMatch(values::containsKey);
        Settings settings = new Settings(title, place.line(), values, lines, files, whole, reading);
        missing(settings, seen.isEmpty());
        check.accept(settings);
        return settings;
    }

    private static @Nullable Object read(Key<?> key, Value.Entry entry, Place place, Map<Key<?>, Path> files) {
        if (entry.key().equals(key.name())) {
            return key.kind().read(entry.value(), place);
        }
        String text = place.text(entry.value(), "the path of a file");
        Path path = text == null ? null : place.reading().path(text, place.line());
        if (path == null) {
            return null;
        }
        files.put(key, path);
        String content = place.reading().content(path, place.line());
        return content == null ? null : key.kind().readContent(content, place);
    }

    private void missing(Settings settings, boolean isEmpty) {
        if (exactlyOne) {
            List<String> given = keys.stream().filter(settings::has).map(Key::name).toList();
            if (given.isEmpty() && isEmpty) {
                settings.problem(settings.line(), "the " + name + " is missing: give one of " + names());
            } else if (given.size() > 1) {
                settings.problem(
                        settings.line(),
                        "the " + name + " must be exactly one, and here are " + given.size() + ": "
                                + String.join(", ", given));
            }
            return;
        }
        if (!atLeastOneOf.isEmpty() && atLeastOneOf.stream().noneMatch(settings::has)) {
            String names = atLeastOneOf.stream().map(key -> "'" + key + "'").collect(Collectors.joining(", "));
            settings.problem(settings.line(), "nothing would run: give at least one of " + names + Place.in(settings.title()));
        }
        keys.stream().filter(key -> key.isRequired() && !settings.has(key)).forEach(key -> {
            String or = key.isSecret() ? " (or '" + key + Key.FILE + "')" : "";
            settings.problem(settings.line(), "missing key '" + key + "'" + or + Place.in(settings.title()));
        });
    }

    private Optional<Key<?>> known(String written) {
        // Not every 'x-file' is the file of a secret: a key with this very name comes first.
        Optional<Key<?>> itself =
                keys.stream().filter(key -> key.name().equals(written)).findFirst();
        return itself.isPresent()
                ? itself
                : keys.stream().filter(key -> key.names().contains(written)).findFirst();
    }

    private String unknown(String written, String title) {
        List<String> all = keys.stream().flatMap(key -> key.names().stream()).toList();
        String what = exactlyOne
                ? "unknown " + name + " '" + shown(written) + "'"
                : "unknown key '" + shown(written) + "'" + Place.in(title);
        return what
                + Suggestion.nearest(written, all)
                        .map(near -> ": did you mean '" + near + "'?")
                        .orElse(all.isEmpty() ? ": it has none" : ": it can be " + names());
    }

    private String names() {
        return keys.stream().map(Key::name).collect(Collectors.joining(", "));
    }

    private static String shown(String key) {
        String clean = key.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= 60 ? clean : clean.substring(0, 59) + "…";
    }

    private String title(List<Value.Entry> entries) {
        List<String> given = new ArrayList<>();
        for (Value.Entry entry : entries) {
            if (namedBy != null
                    && entry.key().equals(namedBy.name())
                    && entry.value() instanceof Value.Text text
                    && !text.absent()
                    && !Reading.refers(text.text())) {
                given.add(name + " '" + shown(text.text()) + "'");
            }
        }
        return given.isEmpty() ? name : given.get(0);
    }

    @Override
    public String toString() {
        return name;
    }
}
