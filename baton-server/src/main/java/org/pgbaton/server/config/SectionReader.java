package org.pgbaton.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.Suggestion;

/** Reads one section of a file, and goes on after a problem, so that all of them are noted. For one use by one thread. */
final class SectionReader {
    private final Section section;
    private final Place place;
    private final Reading reading;
    private final Map<Key<?>, Object> values = new HashMap<>();
    private final Map<Key<?>, Integer> lines = new HashMap<>();
    private final Map<Key<?>, Path> files = new HashMap<>();
    private final Map<String, Integer> seen = new HashMap<>();
    private String title;

    /** @param called its name, if it stands outside the section; else null */
    SectionReader(Section section, Place place, @Nullable String called) {
        this.section = section;
        this.place = place;
        this.reading = place.reading();
        this.title = section.name() + (called == null ? "" : " '" + shown(called) + "'");
    }

    Settings read(Value value) {
        if (value instanceof Value.Entries mapping) {
            title = title(mapping.entries());
            mapping.entries().forEach(this::read);
        } else if (!(value instanceof Value.Text text && text.absent())) {
            if (!(value instanceof Value.Refused)) {
                reading.problem(
                        place.line(),
                        (title.isEmpty() ? "the file" : title) + " must be a mapping, not " + value.what());
            }
            return settings(false);
        }
        boolean whole = values.keySet().containsAll(lines.keySet())
                && section.keys().stream().filter(Key::isRequired).allMatch(values::containsKey);
        Settings settings = settings(whole);
        checkMissing(settings, seen.isEmpty());
        section.check(settings);
        return settings;
    }

    private Settings settings(boolean whole) {
        return new Settings(title, place.line(), values, lines, files, whole, reading);
    }

    private void read(Value.Entry entry) {
        Integer before = seen.putIfAbsent(entry.key(), entry.line());
        if (before != null) {
            reading.problem(
                    entry.line(),
                    "key '" + shown(entry.key()) + "'" + Place.in(title) + " is given twice, first in line " + before);
            return;
        }
        Optional<Key<?>> known = known(entry.key());
        if (known.isEmpty()) {
            reading.problem(entry.line(), unknown(entry.key()));
            return;
        }
        Key<?> key = known.get();
        if (lines.putIfAbsent(key, entry.line()) != null) {
            reading.problem(
                    entry.line(),
                    "'" + key + "' and '" + key + Key.FILE + "'" + Place.in(title) + " exclude each other: give one");
            return;
        }
        Object read = read(key, entry, new Place(reading, entry.key(), title, entry.line(), key.isSecret()));
        if (read != null) {
            values.put(key, read);
        }
    }

    private @Nullable Object read(Key<?> key, Value.Entry entry, Place at) {
        if (entry.key().equals(key.name())) {
            return key.kind().read(entry.value(), at);
        }
        String text = at.text(entry.value(), "the path of a file");
        Path path = text == null ? null : at.reading().path(text, at.line());
        if (path == null) {
            return null;
        }
        files.put(key, path);
        String content = at.reading().content(path, at.line());
        return content == null ? null : key.kind().readContent(content, at);
    }

    private void checkMissing(Settings settings, boolean isEmpty) {
        if (section.isExactlyOne()) {
            List<String> given =
                    section.keys().stream().filter(settings::has).map(Key::name).toList();
            if (given.isEmpty() && isEmpty) {
                settings.problem(settings.line(), "the " + section.name() + " is missing: give one of " + names());
            } else if (given.size() > 1) {
                settings.problem(
                        settings.line(),
                        "the " + section.name() + " must be exactly one, and here are " + given.size() + ": "
                                + String.join(", ", given));
            }
            return;
        }
        if (!section.atLeastOneOf().isEmpty() && section.atLeastOneOf().stream().noneMatch(settings::has)) {
            String names =
                    section.atLeastOneOf().stream().map(key -> "'" + key + "'").collect(Collectors.joining(", "));
            settings.problem(
                    settings.line(), "nothing would run: give at least one of " + names + Place.in(settings.title()));
        }
        section.keys().stream()
                .filter(key -> key.isRequired() && !settings.has(key))
                .forEach(key -> {
                    String or = key.isSecret() ? " (or '" + key + Key.FILE + "')" : "";
                    settings.problem(settings.line(), "missing key '" + key + "'" + or + Place.in(settings.title()));
                });
    }

    private Optional<Key<?>> known(String written) {
        // Not every 'x-file' is the file of a secret: a key with this very name comes first.
        Optional<Key<?>> itself = section.keys().stream()
                .filter(key -> key.name().equals(written))
                .findFirst();
        return itself.isPresent()
                ? itself
                : section.keys().stream()
                        .filter(key -> key.names().contains(written))
                        .findFirst();
    }

    private String unknown(String written) {
        List<String> all =
                section.keys().stream().flatMap(key -> key.names().stream()).toList();
        String what = section.isExactlyOne()
                ? "unknown " + section.name() + " '" + shown(written) + "'"
                : "unknown key '" + shown(written) + "'" + Place.in(title);
        return what
                + Suggestion.nearest(written, all)
                        .map(near -> ": did you mean '" + near + "'?")
                        .orElse(all.isEmpty() ? ": it has none" : ": it can be " + names());
    }

    private String names() {
        return section.keys().stream().map(Key::name).collect(Collectors.joining(", "));
    }

    private static String shown(String key) {
        String clean = key.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= 60 ? clean : clean.substring(0, 59) + "…";
    }

    private String title(List<Value.Entry> entries) {
        Key<String> namedBy = section.namedBy();
        List<String> given = new ArrayList<>();
        for (Value.Entry entry : entries) {
            if (namedBy != null
                    && entry.key().equals(namedBy.name())
                    && entry.value() instanceof Value.Text text
                    && !text.absent()
                    && !Reading.refers(text.text())) {
                given.add(section.name() + " '" + shown(text.text()) + "'");
            }
        }
        return given.isEmpty() ? title : given.get(0);
    }
}
