package org.pgbaton.jackson3;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.codec.JsonCodecsContract;
import org.pgbaton.typed.Codecs;
import org.pgbaton.typed.MessageTypes;
import org.pgbaton.typed.Upcaster;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

class Jackson3CodecsTest extends JsonCodecsContract {
    private final ObjectMapper mapper = JsonMapper.builder().build();

    @Override
    protected Codecs codecs() {
        return Jackson3Codecs.with(mapper);
    }

    @Override
    protected Upcaster adding(String field, String value) {
        return Jackson3Codecs.with(mapper).upcaster(json -> json.put(field, value));
    }

    @Test
    void aMapperWithWhichAPayloadCouldNameAClassIsRefused() {
        ObjectMapper typing = JsonMapper.builder()
                .activateDefaultTyping(BasicPolymorphicTypeValidator.builder()
                        .allowIfBaseType(Object.class)
                        .build())
                .build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Jackson3Codecs.with(typing))
                .withMessageContaining("default typing");
    }

    /** Has no field and no getter. */
    static final class Empty {}

    @Test
    void anObjectThatJacksonCannotWriteIsRefusedByItsClass() {
        ObjectMapper strict = JsonMapper.builder()
                .enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .build();
        MessageTypes types =
                MessageTypes.with(Jackson3Codecs.with(strict)).add(Empty.class).build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> types.draft(new Empty()))
                .withMessageContaining("cannot write an object of the class")
                .withMessageContaining("Empty");
    }
}
