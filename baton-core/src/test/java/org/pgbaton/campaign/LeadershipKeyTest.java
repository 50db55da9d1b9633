package org.pgbaton.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.database.SchemaName;
import org.pgbaton.leadership.LeadershipNameException;

class LeadershipKeyTest {
    /**
     * Computed with Python, so that a change of the hash, which would let two versions lead at once, is noticed:
     * {@code struct.unpack(">q", hashlib.sha256((schema + "\n" + name).encode()).digest()[:8])[0]}.
     */
    static Stream<Arguments> vectors() {
        return Stream.of(
                Arguments.of("baton", "reports", -452687139426912085L),
                Arguments.of("baton", "nightly-report", 6449125616270401985L),
                Arguments.of("baton", "🏃 Übergabe", 6223437651817198099L),
                Arguments.of("baton", "a".repeat(200), 7472281480546713238L),
                Arguments.of("other", "reports", 2267968009839725228L),
                Arguments.of("Baton", "reports", 6910970251590177152L));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void theKeyIsTheFirst64BitsOfTheSha256OfSchemaAndName(String schema, String name, long key) {
        assertThat(LeadershipKey.of(new SchemaName(schema), name)).isEqualTo(new LeadershipKey(name, key));
    }

    @Test
    void theSameNameInAnotherSchemaHasAnotherKey() {
        assertThat(LeadershipKey.of(new SchemaName("a"), "reports").key())
                .isNotEqualTo(LeadershipKey.of(new SchemaName("b"), "reports").key());
    }

    @Test
    void whereTheSchemaEndsAndTheNameBeginsMatters() {
        assertThat(LeadershipKey.of(new SchemaName("ab"), "c").key())
                .isNotEqualTo(LeadershipKey.of(new SchemaName("a"), "bc").key());
    }

    @Test
    void aNumberGivenByTheCallerIsTheKey() {
        assertThat(LeadershipKey.numbered("reports", 100)).isEqualTo(new LeadershipKey("reports", 100));
        assertThat(LeadershipKey.numbered("reports", -1).key()).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"r", "nightly report", "a/b:c.d", "it's \"quoted\"", "日報", "🏃", "👩‍👩‍👧‍👦 family"})
    void anythingPrintableIsAName(String name) {
        assertThat(key(name).name()).isEqualTo(name);
    }

    @Test
    void aNameHasUpTo200CharactersHoweverManyBytesTheyTake() {
        assertThat(key("x".repeat(200)).name()).hasSize(200);
        assertThat(key("🏃".repeat(200)).name()).hasSize(400);
    }

    @ParameterizedTest
    @ValueSource(ints = {201, 10_000})
    void aLongerNameIsRefusedAndShortenedInTheMessage(int length) {
        assertRefused(
                "x".repeat(length),
                "The leadership name '" + "x".repeat(40) + "…' has " + length + " characters: give 1 to 200.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t", "\n"})
    void aBlankNameIsRefused(String name) {
        assertRefused(name, "A leadership needs a name: give 1 to 200 characters.");
    }

    @ParameterizedTest
    @CsvSource({"0000", "0009", "000A", "000D", "001B", "007F", "0085"})
    void aControlCharacterIsRefusedAndNotEchoed(String hex) {
        String name = "re" + (char) Integer.parseInt(hex, 16) + "ports";

        assertRefused(
                name, "The leadership name 're?ports' contains the control character U+" + hex + "; leave it out.");
    }

    @Test
    void halfAnEmojiIsRefusedBecauseItHasNoUtf8() {
        assertRefused(
                "re\uD83Cports", "The leadership name 're?ports' contains the control character U+D83C; leave it out.");
    }

    private static LeadershipKey key(String name) {
        return LeadershipKey.of(SchemaName.DEFAULT, name);
    }

    /** However the key is made. */
    private static void assertRefused(String name, String message) {
        assertThatExceptionOfType(LeadershipNameException.class)
                .isThrownBy(() -> key(name))
                .withMessage(message);
        assertThatExceptionOfType(LeadershipNameException.class)
                .isThrownBy(() -> LeadershipKey.numbered(name, 100))
                .withMessage(message);
    }
}
