package org.pgbaton.typed;

import org.pgbaton.log.Codec;

/**
 * Gives a {@link Codec} to each class of messages. {@code baton-jackson2} and {@code baton-jackson3} have one; with another library,
 * implement this. Thread-safe.
 */
@FunctionalInterface
public interface Codecs {
    /**
     * The codec of a class, asked for once for each class that is registered.
     *
     * <p>When it cannot decode a payload, it throws an {@link UndecodableException} with the reason. Of any other exception only the class is
     * shown, because its message may contain parts of the payload.
     *
     * @throws IllegalArgumentException if there is none for this class
     */
    <T> Codec<T> codec(Class<T> type);
}
