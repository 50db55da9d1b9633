package org.pgbaton.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The small pieces that publishers share. */
class SharedPiecesTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "100% or +1", "Grüße \uD83D\uDE80", "a\nb", " blank "})
    void whatIsEncodedCanBeDecoded(String text) {
        String encoded = HeaderEncoding.encoded(text);
        assertThat(encoded).matches("[!-~]*");
        assertThat(URLDecoder.decode(encoded, StandardCharsets.UTF_8)).isEqualTo(text);
    }

    @Test
    void plainValuesStayAsTheyAreAndOthersAreEncoded() {
        assertThat(HeaderEncoding.ifNeeded("100% or +1")).isEqualTo("100% or +1");
        assertThat(HeaderEncoding.ifNeeded("Grüße")).isEqualTo("Gr%C3%BC%C3%9Fe");
        assertThat(HeaderEncoding.ifNeeded("a\r\nb")).isEqualTo("a%0D%0Ab");
        assertThat(HeaderEncoding.encoded("ü".repeat(100), 7)).isEqualTo("%C3%BC%C3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{other}", "{", "a}", "{{topic}}", "{key{topic}}", "{to{key}pic}"})
    void otherPlaceholdersAreRefused(String text) {
        assertThatThrownBy(() -> NameTemplate.parse("subject", text)).hasMessageContaining("'" + text + "' has braces");
    }

    @Test
    void aTemplateKnowsWhetherItDependsOnTheMessage() {
        assertThat(NameTemplate.parse("subject", "orders").isFixed()).isTrue();
        NameTemplate template = NameTemplate.parse("subject", "{topic}.{key}$");
        assertThat(template.isFixed()).isFalse();
        assertThat(template.beginsWithPlaceholder()).isTrue();
        assertThat(template.filledWith("$1")).isEqualTo("$1.$1$");
    }

    @Test
    void secretsAreNotShownNotEvenWhereOneIsPartOfAnother() {
        Redaction redaction = new Redaction(List.of("hush", "hush-hush-1", "abc"));
        assertThat(redaction.shown("it is\n hush-hush-1, abc", 100)).isEqualTo("it is ***, abc");
        assertThat(redaction.shown("x".repeat(9) + "\uD83D\uDE80 and more", 10)).isEqualTo("x".repeat(9) + "…");
    }
}
