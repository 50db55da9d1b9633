package org.pgbaton.jackson3;

import java.util.function.Consumer;
import org.pgbaton.log.Codec;
import org.pgbaton.typed.Codecs;
import org.pgbaton.typed.UndecodableException;
import org.pgbaton.typed.Upcaster;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes and reads typed messages as JSON, by Jackson 3 and with the application's own settings.
 *
 * <pre>{@code
 * MessageTypes types = MessageTypes.with(Jackson3Codecs.with(mapper)).add(Deposited.class).build();
 * }</pre>
 *
 * <p>The class of an object is the one that was registered, and never one that the payload names: a mapper with default typing is
 * refused. A class of one's own may still have {@code @JsonTypeInfo}; with {@code Id.NAME} no class is named either.
 *
 * <p>What Jackson says of a payload that it cannot read may quote the payload, so only the kind of failure and its place are shown. Thread-safe.
 */
public final class Jackson3Codecs implements Codecs {
    private final ObjectMapper mapper;
    private final ObjectReader trees;

    private Jackson3Codecs(ObjectMapper mapper) {
        this.mapper = mapper;
        // An amount that passes through a tree keeps all its digits.
        this.trees = mapper.readerFor(JsonNode.class)
                .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .without(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);
    }

    /**
     * With the settings of this mapper.
     *
     * @throws IllegalArgumentException if the mapper has default typing, with which a payload could name a class to load
     */
    public static Jackson3Codecs with(ObjectMapper mapper) {
        if (mapper.deserializationConfig().getDefaultTyper(mapper.constructType(Object.class)) != null) {
            throw new IllegalArgumentException("The mapper has default typing, so a payload could name a class to load:"
                    + " give a mapper without, and annotate classes with @JsonTypeInfo where they need it.");
        }
        return new Jackson3Codecs(mapper);
    }

    @Override
    public <T> Codec<T> codec(Class<T> type) {
        ObjectWriter writer = mapper.writerFor(type);
        ObjectReader reader = mapper.readerFor(type).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        return new Codec<>() {
            @Override
            public boolean isJson() {
                return true;
            }

            @Override
            public byte[] encode(T value) {
                try {
                    return writer.writeValueAsBytes(value);
                } catch (JacksonException theirs) {
                    throw new IllegalArgumentException(
                            "Jackson cannot write an object of the class " + type.getName() + " as JSON.", theirs);
                }
            }

            @Override
            public T decode(byte[] payload) {
                return read(reader, type, payload);
            }
        };
    }

    /**
     * An upcaster that changes the fields of a JSON object: adds, removes, renames.
     *
     * <pre>{@code
     * Upcaster withCurrency = Jackson3Codecs.with(mapper).upcaster(json -> json.put("currency", "EUR"));
     * }</pre>
     */
    public Upcaster upcaster(Consumer<ObjectNode> change) {
        return payload -> {
            JsonNode json = read(trees, JsonNode.class, payload);
            if (!(json instanceof ObjectNode object)) {
                throw new UndecodableException("the payload is no JSON object");
            }
            change.accept(object);
            try {
                return mapper.writeValueAsBytes(object);
            } catch (JacksonException theirs) {
                throw new UndecodableException("its result cannot be written as JSON");
            }
        };
    }

    private static <T> T read(ObjectReader reader, Class<T> type, byte[] payload) {
        try {
            return reader.forType(type).readValue(payload);
        } catch (JacksonException theirs) {
            TokenStreamLocation place = theirs.getLocation();
            throw new UndecodableException(theirs.getClass().getSimpleName()
                    + (place == null ? "" : " at line " + place.getLineNr() + ", column " + place.getColumnNr()));
        }
    }
}
