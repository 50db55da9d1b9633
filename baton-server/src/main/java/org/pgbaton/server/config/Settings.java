package org.pgbaton.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The values that a file gives to the keys of a section. {@code toString} shows none of them. Not thread-safe while the section is being
 * checked, immutable afterwards.
 */
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

    /** The value of a key that is required or has a default. */
    public <T> T get(Key<T> key) {
        return Objects.requireNonNull(find(key), key.name());
    }

    /** The value, or the default; null if there is neither, or if the value was wrong. */
    @SuppressWarnings("unchecked") // what a key's kind has read is of its type
    public <T> @Nullable T find(Key<T> key) {
        T given = (T) values.get(key);
        return given == null && !has(key) ? key.standardValue() : given;
    }

    /** The values of a list; empty if there is none. */
    public <T> List<T> list(Key<List<T>> key) {
        List<T> given = find(key);
        return given == null ? List.of() : given;
    }

    /** Hands over the value, or the default, if there is one. */
    public <T> void ifPresent(Key<T> key, Consumer<? super T> use) {
        T given = find(key);
        if (given != null) {
            use.accept(given);
        }
    }

    /** Whether the file has the key, with a right or a wrong value. */
    public boolean has(Key<?> key) {
        return lines.containsKey(key);
    }

    /** The file that a secret was read from; null if it was given directly, or not at all. */
    public @Nullable Path file(Key<?> key) {
        return files.get(key);
    }

    /** Whether no required key is missing, no value is wrong, and no check has noted a problem. */
    public boolean isWhole() {
        return whole;
    }

    /** The line of the key; if the file does not have the key, that of the section. */
    public int line(Key<?> key) {
        return lines.getOrDefault(key, line);
    }

    public int line() {
        return line;
    }

    /** The section in sentences: "relay 'trades'". */
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

    /** Whether the other has the same values. A value that cannot be compared counts as another one. */
    public boolean sameAs(Settings other) {
        return same(values, other.values) && files.equals(other.files);
    }

    /** The same for any values, such as settings, lists and maps of them, or null. */
    public static boolean same(@Nullable Object one, @Nullable Object other) {
        if (one instanceof Settings settings && other instanceof Settings theirs) {
            return settings.sameAs(theirs);
        }
        if (one instanceof List<?> list && other instanceof List<?> theirs) {
            return list.size() == theirs.size()
                    && IntStream.range(0, list.size()).allMatch(i -> same(list.get(i), theirs.get(i)));
        }
        if (one instanceof Map<?, ?> map && other instanceof Map<?, ?> theirs) {
            return map.keySet().equals(theirs.keySet())
                    && map.keySet().stream().allMatch(key -> same(map.get(key), theirs.get(key)));
        }
        return Objects.equals(one, other);
    }

    @Override
    public String toString() {
        return title + " with " + lines.keySet();
    }
}
