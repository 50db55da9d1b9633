package org.pgbaton.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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

    /** A mapping of names to such sections, at least one. Sentences call each section by its name. */
    public Kind<Map<String, Settings>> byName() {
        return new MappingKind<>(new Kind<Settings>() {
            @Override
            Settings read(Value value, Place place) {
                return new SectionReader(Section.this, place, place.key()).read(value);
            }

            @Override
            Map<String, Object> schema() {
                return JsonSchema.of(Section.this);
            }
        });
    }

    Settings read(Value value, Place place) {
        return new SectionReader(this, place, null).read(value);
    }

    String name() {
        return name;
    }

    /** Null if sentences call every such section alike. */
    @Nullable
    Key<String> namedBy() {
        return namedBy;
    }

    void check(Settings settings) {
        check.accept(settings);
    }

    @Override
    public String toString() {
        return name;
    }
}
