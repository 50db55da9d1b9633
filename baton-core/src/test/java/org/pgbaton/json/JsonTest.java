package org.pgbaton.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "true",
                "false",
                "0",
                "-0",
                "-1.5e+10",
                "1E5",
                "10.25",
                "\"\"",
                "\"\\u0000\\ud800\"",
                "[]",
                "{}",
                "[ ]",
                "{ }",
                " [1 , [2,{\"a\": [] , \"b\":{}}], \"x\"]\n",
                "{\"a\":1,\"a\":2}",
                "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                "\"ü😀\u007f\""
            })
    void whatPostgresAcceptsIsAccepted(String text) {
        assertThat(Json.checked("The payload", text)).isSameAs(text);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "{'a':1}|unexpected ''' at character 2",
                "{\"a\" 1}|unexpected '1' at character 6",
                "{\"a\":1,}|unexpected '}' at character 8",
                "{1:2}|unexpected '1' at character 2",
                "[1,]|unexpected ']' at character 4",
                "[1 2]|unexpected '2' at character 4",
                "[1}|unexpected '}' at character 3",
                "{} x|unexpected 'x' at character 4",
                "01|unexpected '1' at character 2",
                "1.|ends too early, after 2",
                "1.e5|unexpected 'e' at character 3",
                "+1|unexpected '+' at character 1",
                "-|ends too early",
                "-a|unexpected 'a'",
                "1e|ends too early",
                "nul|ends too early",
                "nulL|unexpected 'L'",
                "NaN|unexpected 'N'",
                "\"a|ends too early",
                "\"\\x\"|unexpected 'x'",
                "\"\\u00g0\"|unexpected 'g'",
                "[[[|ends too early",
                "]|unexpected ']'",
                "{\"a\"|ends too early",
            })
    void whatPostgresRefusesIsRefusedWithThePlace(String text, String sentence) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Json.checked("The payload", text))
                .withMessageStartingWith("The payload is no JSON: ")
                .withMessageContaining(sentence);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n"})
    void noTextIsNoJson(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Json.checked("The payload", text))
                .withMessageContaining("The payload is empty");
    }

    @Test
    void controlCharactersMustBeEscapedAndAreNotEchoed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Json.checked("The payload", "\"a\u0007\""))
                .withMessageContaining("unexpected U+0007 at character 3");
    }

    @Test
    void aMillionBracketsAreNoStackOverflow() {
        String deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
        assertThat(Json.checked("The payload", deep)).isSameAs(deep);
    }

    @Test
    void headersAreEscaped() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("traceparent", "00-ab");
        headers.put("quote\"and\\", "line\nbreak\u0000\u001f/ü😀");
        String json = Json.object(headers);

        assertThat(json)
                .isEqualTo("{\"traceparent\":\"00-ab\",\"quote\\\"and\\\\\":\"line\\u000abreak\\u0000\\u001f/ü😀\"}");
        assertThat(Json.checkedObject("The headers text", json)).isEqualTo(json);
        assertThat(Json.object(Map.of())).isEqualTo("{}");
    }
}
