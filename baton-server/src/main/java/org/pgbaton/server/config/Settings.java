package org.pgbaton.server.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A section as a file fills it. Shows no values in {@code toString}. Not thread-safe while it is being checked, immutable afterwards. */
public final class Settings {
    private final String title;
    private final int line;
    private final Map<Key<?>, Object> values;
    private final Map<Key<?>, Integer> lines;
    private final Map<Key<?>, Path> files;
    private boolean whole;
    private final Reading reading;

    Settings(
            String title,
            int line,
            Map<Key<?>, Object> values,
            Map<Key<?>, Integer> lines,
            Map<Key<?>, Path> files,
            boolean whole,
            Reading reading) {
        this.title = title;
        this.line = line;
        this.values = Map.copyOf(values);
        this.lines = Map.copyOf(lines);
        this.files = Map.copyOf(files);
        this.whole = whole;
        this.reading = reading;
    }

    /** A value that is there for sure: its key is required, or has a default. */
    public <T> T get(Key<T> key) {
        return Objects.requireNonNull(find(key), key.name());
    }

    /** The value, or the default; null if there is neither, or if it was wrong. */
    @SuppressWarnings("unchecked") // what a key's kind has read is of its type
    public <T> @Nullable T find(Key<T> key) {
        T given = (T) values.get(key);
        return given == null && !has(key) ? key.standardValue() : given;
    }

    /** Whether the file has the key, be its value right or wrong. */
    public boolean has(Key<?> key) {
        return lines.containsKey(key);
    }

    /** The file that a secret was read from; null if it was given itself, or not at all. */
    public @Nullable Path file(Key<?> key) {
        return files.get(key);
    }

    /** Whether nothing is missing, every value is right as far as its key tells, and nobody has noted a problem. */
    public boolean isWhole() {
        return whole;
    }

    /** Of the key, or of the section if the key is not there. */
    public int line(Key<?> key) {
        return lines.getOrDefault(key, line);
    }

    public int line() {
        return line;
    }

    /** What it is called in sentences: "relay 'trades'". */
    public String title() {
        return title;
    }

    /** Notes that something is wrong with the value of a key. */
    public void problem(Key<?> key, String sentence) {
        problem(line(key), sentence);
    }

    public void problem(int atLine, String sentence) {
        whole = false;
        reading.problem(atLine, sentence);
    }

    @Override
    public String toString() {
        return title + " with " + lines.keySet();
    }
}
