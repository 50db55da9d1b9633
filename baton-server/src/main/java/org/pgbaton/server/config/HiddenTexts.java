package org.pgbaton.server.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Kinds of several texts that may be secrets: no problem shows what is written. */
public final class HiddenTexts {
    private HiddenTexts() {}

    /** At least one. A file has one in each line. */
    public static Kind<List<String>> list() {
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
                    String text = Scalar.text().read(each, place.hidden().at(each.line()));
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
                return JsonObject.of("type", "array", "minItems", 1, "items", JsonObject.of("type", Kind.ANY_TEXT));
            }
        };
    }

    /** Any number, under any names. */
    public static Kind<Map<String, String>> byName() {
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
                    String text = Scalar.text().read(entry.value(), at);
                    whole &= text != null;
                    if (text != null && texts.put(entry.key(), text) != null) {
                        at.problem("key " + at.name() + " is given twice");
                    }
                }
                return whole ? texts : null;
            }

            @Override
            Map<String, Object> schema() {
                return JsonObject.of("type", "object", "additionalProperties", JsonObject.of("type", Kind.ANY_TEXT));
            }
        };
    }
}
