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

    /** The payload of a value. */
    byte[] encode(T value);

    /** The value of a payload that {@link #encode} has made. */
    T decode(byte[] payload);

    /** JSON text as it is. */
    static Codec<String> json() {
        return json(text -> text, text -> text);
    }

    /**
     * JSON by a library.
     *
     * <pre>{@code
     * Codec<Integer> number = Codec.json(value -> value.toString(), text -> Integer.valueOf(text));
     * Draft draft = Draft.of(42, number);
     * int read = message.payload(number);
     * }</pre>
     */
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
