package org.pgbaton.spring;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Draft;
import org.pgbaton.typed.Codecs;
import org.pgbaton.typed.MessageTypes;

/**
 * Makes drafts of the application's objects. With a {@link MessageTypes} bean only its classes can be written, under the names that it has.
 * Without one every class can, under its simple name. Thread-safe.
 */
public final class PayloadDrafts {
    private final @Nullable Codecs codecs;
    private final @Nullable MessageTypes types;
    private final Map<Class<?>, MessageTypes> unnamed = new ConcurrentHashMap<>();

    /**
     * With what the application has.
     *
     * @param codecs null if there is no JSON library
     * @param types null if the application names no types
     */
    public PayloadDrafts(@Nullable Codecs codecs, @Nullable MessageTypes types) {
        this.codecs = codecs;
        this.types = types;
    }

    /**
     * A draft without key and topic.
     *
     * @throws IllegalArgumentException if the object is text or bytes, or cannot be written
     */
    Draft draft(Object payload) {
        if (payload instanceof Draft draft) {
            return draft;
        }
        if (payload instanceof CharSequence || payload instanceof byte[]) {
            throw new IllegalArgumentException("Text and bytes do not say what they are: give Draft.json(text) for JSON"
                    + " text, Draft.bytes(bytes) for anything else, with its key.");
        }
        return typesOf(payload.getClass()).draft(payload);
    }

    private MessageTypes typesOf(Class<?> type) {
        if (types != null) {
            return types;
        }
        if (codecs == null) {
            throw new IllegalArgumentException("The object of the class " + type.getName()
                    + " cannot be written, because there is no Codecs bean: add baton-jackson3 (Spring Boot 4) or"
                    + " baton-jackson2 (Spring Boot 3), or give a Draft.");
        }
        Codecs known = codecs;
        return unnamed.computeIfAbsent(
                type, each -> MessageTypes.with(known).add(each).build());
    }
}
