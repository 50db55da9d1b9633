package org.pgbaton.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A key that a section may have. The value of a secret is shown nowhere; in place of a secret {@code x} the key {@code x-file} can name a file
 * that contains it. Immutable.
 *
 * @param <T> what its value is read as
 */
public final class Key<T> {
    /** The end of the key that names the file of a secret. */
    static final String FILE = "-file";

    private final String name;
    private final Kind<T> kind;
    private final boolean required;
    private final boolean secret;
    private final @Nullable String standard;
    private final String meaning;

    private Key(
            String name, Kind<T> kind, boolean required, boolean secret, @Nullable String standard, String meaning) {
        this.name = name;
        this.kind = kind;
        this.required = required;
        this.secret = secret;
        this.standard = standard;
        this.meaning = meaning;
    }

    /** @param meaning a sentence for people who write the file */
    public static <T> Key<T> required(String name, Kind<T> kind, String meaning) {
        return new Key<>(name, kind, true, false, null, meaning);
    }

    public static <T> Key<T> optional(String name, Kind<T> kind, String meaning) {
        return new Key<>(name, kind, false, false, null, meaning);
    }

    /** @param standard the default, as it would be written */
    public static <T> Key<T> optional(String name, Kind<T> kind, String standard, String meaning) {
        return new Key<>(name, kind, false, false, standard, meaning);
    }

    /** The same key, whose value is a secret. */
    public Key<T> secret() {
        return new Key<>(name, kind, required, true, standard, meaning);
    }

    public String name() {
        return name;
    }

    Kind<T> kind() {
        return kind;
    }

    boolean isRequired() {
        return required;
    }

    boolean isSecret() {
        return secret;
    }

    /** The default as it would be written; null if there is none. */
    public @Nullable String standard() {
        return standard;
    }

    String meaning() {
        return meaning;
    }

    /** The value of a key that has a default, where the file does not have its section. */
    public T orStandard() {
        return Objects.requireNonNull(standardValue(), name);
    }

    /** The default; null if there is none. */
    @Nullable
    T standardValue() {
        if (standard == null) {
            return null;
        }
        Reading own = new Reading(Map.of(), Path.of(""));
        T value = kind.read(new Value.Text(0, standard, false), new Place(own, name, "", 0, false));
        if (!own.problems().isEmpty()) {
            throw new IllegalStateException(own.problems().toString());
        }
        return value;
    }

    /** The names under which it can be given. */
    List<String> names() {
        return secret ? List.of(name, name + FILE) : List.of(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
