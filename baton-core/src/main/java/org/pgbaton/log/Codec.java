package org.pgbaton.log;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * How values of a type become a payload and come back. Implement it with the JSON library, Avro or Protobuf of your
 * choice. Called from several threads.
 */
public interface Codec<T> {
    /** Whether {@link #encode} gives JSON text in UTF-8, to be stored as {@code json}; otherwise it is stored as bytes. */
    boolean isJson();

    byte[] encode(T value);

    T decode(byte[] payload);

    /** JSON text as it is. */
    static Codec<String> json() {
        return json(text -> text, text -> text);
    }

    /** JSON by a library: {@code Codec.json(mapper::writeValueAsString, text -> mapper.readValue(text, Order.class))}. */
    static <T> Codec<T> json(Function<T, String> write, Function<String, T> read) {
        return of(
                true,
                value -> write.apply(value).getBytes(StandardCharsets.UTF_8),
                payload -> read.apply(new String(payload, StandardCharsets.UTF_8)));
    }

    /** Any text, stored as bytes in UTF-8. */
    static Codec<String> text() {
        return of(
                false,
                text -> text.getBytes(StandardCharsets.UTF_8),
                payload -> new String(payload, StandardCharsets.UTF_8));
    }

    /** Bytes as they are. */
    static Codec<byte[]> bytes() {
        return of(false, bytes -> bytes, payload -> payload);
    }

    private static <T> Codec<T> of(boolean json, Function<T, byte[]> encode, Function<byte[], T> decode) {
        return new Codec<>() {
            @Override
            public boolean isJson() {
                return json;
            }

            @Override
            public byte[] encode(T value) {
                return encode.apply(value);
            }

            @Override
            public T decode(byte[] payload) {
                return decode.apply(payload);
            }
        };
    }
}
