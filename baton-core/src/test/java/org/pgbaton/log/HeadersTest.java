package org.pgbaton.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class HeadersTest {
    @Test
    void noneAtAll() {
        assertThat(Headers.of(null)).isEmpty();
        assertThat(Headers.of(" {} ")).isEmpty();
    }

    @Test
    void stringsAreUnquoted() {
        assertThat(Headers.of("{ \"a\" : \"b\\n\\u00e9\\\"\\\\\\/\" , \"c\":\"\" }"))
                .containsExactly(Map.entry("a", "b\né\"\\/"), Map.entry("c", ""));
    }

    @Test
    void otherValuesAreTheirJson() {
        assertThat(Headers.of("{\"n\": 12.5 , \"t\":true, \"o\": {\"x\": [1, \"}\"]}, \"a\":[1,2] }"))
                .containsExactly(
                        Map.entry("n", "12.5"),
                        Map.entry("t", "true"),
                        Map.entry("o", "{\"x\": [1, \"}\"]}"),
                        Map.entry("a", "[1,2]"));
    }

    @Test
    void aNullIsNoHeaderButTheWordIs() {
        assertThat(Headers.of("{\"a\": null, \"b\": \"null\"}")).containsExactly(Map.entry("b", "null"));
    }

    @Test
    void theLastOfTwoCounts() {
        assertThat(Headers.of("{\"a\": \"1\", \"a\": \"2\"}")).containsExactly(Map.entry("a", "2"));
    }
}
