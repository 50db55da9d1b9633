package org.pgbaton.jackson2;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.codec.JsonCodecsContract;
import org.pgbaton.typed.Codecs;
import org.pgbaton.typed.MessageTypes;
import org.pgbaton.typed.Upcaster;

class Jackson2CodecsTest extends JsonCodecsContract {
    private final ObjectMapper mapper = JsonMapper.builder().build();

    @Override
    protected Codecs codecs() {
        return Jackson2Codecs.with(mapper);
    }

    @Override
    protected Upcaster adding(String field, String value) {
        return Jackson2Codecs.with(mapper).upcaster(json -> json.put(field, value));
    }

    @Test
    void aMapperWithWhichAPayloadCouldNameAClassIsRefused() {
        ObjectMapper typing = JsonMapper.builder()
                .activateDefaultTyping(BasicPolymorphicTypeValidator.builder()
                        .allowIfBaseType(Object.class)
                        .build())
                .build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Jackson2Codecs.with(typing))
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
                MessageTypes.with(Jackson2Codecs.with(strict)).add(Empty.class).build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> types.draft(new Empty()))
                .withMessageContaining("cannot write an object of the class")
                .withMessageContaining("Empty");
    }
}
