package org.pgbaton.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DraftTest {
    @Test
    void theIdIsMadeOnceSoThatTheSameDraftCanBeAppendedAgain() {
        Draft draft = Draft.json("{}");
        assertThat(draft.key("k").type("t").topic("p").headers(Map.of("a", "b")).id())
                .isEqualTo(draft.id());
        assertThat(Draft.json("{}").id()).isNotEqualTo(draft.id());
        assertThat(draft.id().version()).isEqualTo(7);
    }

    @Test
    void anIdCanBeGiven() {
        UUID id = UUID.randomUUID();
        assertThat(Draft.json("{}").id(id).key("k").id()).isEqualTo(id);
    }

    @Test
    void aDraftDoesNotChange() {
        Draft draft = Draft.json("{}");
        draft.key("k");
        assertThat(draft.key()).isNull();

        byte[] bytes = {1, 2};
        Draft binary = Draft.bytes(bytes);
        bytes[0] = 9;
        assertThat(binary.bytes()).containsExactly(1, 2);
    }

    @Test
    void jsonTextIsKeptAsItIs() {
        assertThat(Draft.json(" {\"b\":1,  \"a\":\"\\u0000\"}\n").json()).isEqualTo(" {\"b\":1,  \"a\":\"\\u0000\"}\n");
    }

    @Test
    void aCodecDecidesWhetherItIsJson() {
        Codec<Integer> numbers = Codec.json(number -> Integer.toString(number), Integer::valueOf);
        assertThat(Draft.of(42, numbers).json()).isEqualTo("42");
        assertThat(Draft.of("{}", Codec.json()).json()).isEqualTo("{}");
        assertThat(Draft.of("ü", Codec.text()).bytes()).isEqualTo("ü".getBytes(StandardCharsets.UTF_8));
        assertThat(Draft.of(new byte[0], Codec.bytes()).bytes()).isEmpty();
        assertThat(numbers.decode("7".getBytes(StandardCharsets.UTF_8))).isEqualTo(7);
    }

    @Test
    void aKeyHasUpTo1000BytesHoweverManyCharactersTheyMake() {
        assertThat(Draft.json("1").key("x".repeat(1000)).key()).hasSize(1000);
        assertThat(Draft.json("1").key("").key()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Draft.json("1").key("ü".repeat(501)))
                .withMessageContaining("has 1002 bytes in UTF-8: give at most 1000");
    }

    @Test
    void whatHasNoPlaceInTextIsASentence() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Draft.json("1").key("a\0b"))
                .withMessage(
                        "The key has a NUL character at place 2, which PostgreSQL cannot store in text; leave it out.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Draft.json("1").type("\0"))
                .withMessageStartingWith("The type has a NUL");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Draft.json("1").topic("x\0"))
                .withMessageStartingWith("The topic has a NUL");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Draft.json("1").key("half \uD83C"))
                .withMessageContaining("half of a surrogate pair at place 6");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Draft.json("\"\uDF40\uD83C\""))
                .withMessageContaining("The payload has half of a surrogate pair at place 2");
        assertThat(Draft.json("1").key("🏃").key()).isEqualTo("🏃");
    }

    @Test
    void headersAreAnObject() {
        assertThat(Draft.json("1").headersJson("{\"a\": 1}").headers()).isEqualTo("{\"a\": 1}");
        assertThat(Draft.json("1").headers(Map.of("a", "1")).headers()).isEqualTo("{\"a\":\"1\"}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Draft.json("1").headersJson("[]"))
                .withMessageContaining("The headers text must be a JSON object");
    }

    @Test
    void aHeaderIsAddedUnlessThereIsOneOfThatName() {
        Draft draft = Draft.json("{}").headersJson("{\"a\": {\"b\": 1}}").payloadVersion(2);
        assertThat(draft.headerIfAbsent("c", "3").headerIfAbsent("a", "4").headers())
                .isEqualTo("{\"a\": {\"b\": 1},\"c\":\"3\",\"payload-version\":\"2\"}");
        assertThat(Draft.json("{}").headerIfAbsent("c", "3").headers()).isEqualTo("{\"c\":\"3\"}");
    }
}
