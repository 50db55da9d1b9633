package org.pgbaton.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.log.Draft;

/** PostgreSQL's text of a value becomes the JSON that belongs to its type. */
class ValuesTest {
    private static final ColumnTypes TYPES = new ColumnTypes(type -> ',');

    static String json(String type, String text) {
        return json(Objects.requireNonNull(BuiltInTypes.byName(type), type), text);
    }

    static String json(ColumnType type, String text) {
        JsonBuffer json = new JsonBuffer();
        byte[] bytes = ("<" + text + ">").getBytes(StandardCharsets.UTF_8);
        type.write(json, bytes, 1, bytes.length - 1);
        Draft.json(json.text());
        return json.text();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "bool|t|true",
                "bool|f|false",
                "int2|-32768|-32768",
                "int4|0|0",
                "int8|9223372036854775807|9223372036854775807",
                "oid|4294967295|4294967295",
                "float4|1e-07|1e-07",
                "float8|1.7976931348623157e+308|1.7976931348623157e+308",
                "float8|-0|-0",
                "float8|NaN|\"NaN\"",
                "float8|-Infinity|\"-Infinity\"",
                "numeric|123456789012345678901234567890.1230|123456789012345678901234567890.1230",
                "numeric|-0.5|-0.5",
                "numeric|NaN|\"NaN\"",
                "numeric|Infinity|\"Infinity\"",
                "json|{\"a\" : [1,  null]}|{\"a\" : [1,  null]}",
                "jsonb|\"text\"|\"text\"",
                "jsonb|null|null",
                "uuid|0190a7c2-0000-7000-8000-000000000000|\"0190a7c2-0000-7000-8000-000000000000\"",
                "date|2030-01-31|\"2030-01-31\"",
                "date|0044-03-15 BC|\"-000043-03-15\"",
                "date|0001-12-31 BC|\"0000-12-31\"",
                "date|5874897-12-31|\"+5874897-12-31\"",
                "date|-infinity|\"-infinity\"",
                "time|24:00:00|\"24:00:00\"",
                "timestamp|2030-01-31 12:34:56|\"2030-01-31T12:34:56\"",
                "timestamp|2030-01-31 12:34:56.000001|\"2030-01-31T12:34:56.000001\"",
                "timestamp|0044-03-15 12:00:00 BC|\"-000043-03-15T12:00:00\"",
                "timestamp|10000-01-01 00:00:00|\"+010000-01-01T00:00:00\"",
                "timestamp|infinity|\"infinity\"",
                "timestamptz|2030-01-31 12:34:56+00|\"2030-01-31T12:34:56Z\"",
                "timestamptz|2030-01-31 12:34:56.5+01|\"2030-01-31T12:34:56.5+01:00\"",
                "timestamptz|2030-01-31 12:34:56-05:30|\"2030-01-31T12:34:56-05:30\"",
                "timestamptz|1850-01-01 00:00:00-00:01:15|\"1850-01-01T00:00:00-00:01:15\"",
                "timestamptz|0044-03-15 12:00:00.5+00 BC|\"-000043-03-15T12:00:00.5Z\"",
                "timestamptz|12345-03-15 12:00:00+05:30|\"+012345-03-15T12:00:00+05:30\"",
                "timestamptz|-infinity|\"-infinity\"",
                "timetz|12:00:00+00|\"12:00:00Z\"",
                "timetz|12:00:00.25-08|\"12:00:00.25-08:00\"",
                "interval|1 year 2 mons -3 days +04:05:06.7|\"1 year 2 mons -3 days +04:05:06.7\"",
                "bytea|\\x|\"\"",
                "bytea|\\x00ff10|\"AP8Q\"",
                "money|$1,000.00|\"$1,000.00\"",
                "inet|10.0.0.1/8|\"10.0.0.1/8\"",
                "int4range|[1,5)|\"[1,5)\"",
                "int4multirange|{[1,5),[7,9)}|\"{[1,5),[7,9)}\"",
                "int2vector|1 2 3|\"1 2 3\"",
            })
    void aValueIsWrittenAsItsTypeWants(String type, String text, String json) {
        assertThat(json(type, text)).isEqualTo(json);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "_int4|{}|[]",
                "_int4|{1,NULL,-3}|[1,null,-3]",
                "_int4|{{1,2},{3,4}}|[[1,2],[3,4]]",
                "_int4|{{{1},{2}},{{3},{4}}}|[[[1],[2]],[[3],[4]]]",
                "_int4|[0:2]={1,2,3}|[1,2,3]",
                "_int4|[-1:0][5:6]={{1,2},{3,4}}|[[1,2],[3,4]]",
                "_text|{a,\"b,c\",\"\",NULL,\"NULL\",null}|[\"a\",\"b,c\",\"\",null,\"NULL\",\"null\"]",
                "_text|{\"a \\\"quote\\\"\",\"back\\\\slash\",\"{brace}\"}|[\"a \\\"quote\\\"\",\"back\\\\slash\",\"{brace}\"]",
                "_bool|{t,f,NULL}|[true,false,null]",
                "_float8|{NaN,1.5,-Infinity}|[\"NaN\",1.5,\"-Infinity\"]",
                "_timestamptz|{\"2030-01-31 12:34:56+00\",infinity}|[\"2030-01-31T12:34:56Z\",\"infinity\"]",
                "_bytea|{\"\\\\x00ff\",NULL}|[\"AP8=\",null]",
                "_jsonb|{\"{\\\"a\\\": [1, 2]}\",null,NULL}|[{\"a\": [1, 2]},null,null]",
                "_box|{(1,1),(0,0);(2,2),(1,1)}|[\"(1,1),(0,0)\",\"(2,2),(1,1)\"]",
                "_int4range|{\"[1,5)\",empty}|[\"[1,5)\",\"empty\"]",
            })
    void anArrayIsAnArrayOfItsElements(String type, String text, String json) {
        assertThat(json(type, text)).isEqualTo(json);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "_int4|{1,2",
                "_int4|1,2}",
                "_int4|{1,2}x",
                "_int4|{1,,2}",
                "_int4|{1,}",
                "_int4|{,1}",
                "_int4|{",
                "_int4|}",
                "_int4|{{1}",
                "_int4|{1 ; 2",
                "_text|{\"a}",
                "_text|{\"a",
                "_int4|[0:1]",
                "_int4|[0:1]={",
                "int4|01",
                "int4|1.",
                "int4|-",
                "int4|1e",
                "int4|`1 `",
                "int4|``",
                "bool|true",
                "bool|``",
                "timestamp|2030-01-31 12:34:5",
                "timestamp|2030-01-31 12:34:56x",
                "timestamptz|2030-01-31 12:34:56",
                "timestamptz|2030-01-31 12:34:56+1",
                "timestamptz|2030-01-31 12:34:56+00:0",
                "timetz|12:00+00",
            })
    void whatDoesNotReadAsItsTypeStaysText(String type, String text) {
        assertThat(json(type, text)).isEqualTo("\"" + text.replace("\"", "\\\"") + "\"");
    }

    @Test
    void aBackslashAtTheEndOfAnArrayIsNoReasonToReadOn() {
        assertThat(json("_text", "{\"a\\")).isEqualTo("\"{\\\"a\\\\\"");
    }

    @Test
    void byteaInAnotherFormIsRefused() {
        for (String text : new String[] {"abc", "", "\\", "\\x0", "\\xzz", "\\\\x00"}) {
            assertThatExceptionOfType(DecodeException.class)
                    .isThrownBy(() -> json("bytea", text))
                    .withMessageContaining("bytea_output = 'hex'");
        }
    }

    @Test
    void jsonThatNobodyCouldReadIsAString() {
        String fits = "[".repeat(400) + "\"[[[\\\"{{{\"" + "]".repeat(400);
        assertThat(json("jsonb", fits)).isEqualTo(fits);
        String deep = "[".repeat(401) + "]".repeat(401);
        assertThat(json("jsonb", deep)).isEqualTo('"' + deep + '"');
        String wide = "[" + "{},".repeat(1000) + "[]]";
        assertThat(json("json", wide)).isEqualTo(wide);
    }

    @Test
    void textIsEscaped() {
        assertThat(json("text", "a\"b\\c\n\r\t\b\f\u0001\u001f\u007f/ü😀\u2028\u2029\u2027\u202a"))
                .isEqualTo("\"a\\\"b\\\\c\\n\\r\\t\\u0008\\u000c\\u0001\\u001f\u007f/ü😀\\u2028\\u2029\u2027\u202a\"");
        assertThat(json("text", "")).isEqualTo("\"\"");
    }

    @Test
    void brokenUtf8IsReplaced() {
        JsonBuffer json = new JsonBuffer();
        byte[] cut = {'a', (byte) 0xE2, (byte) 0x80, (byte) 0xED, (byte) 0xA0, (byte) 0x80, (byte) 0xE2};
        json.string(cut, 0, cut.length);
        assertThat(Draft.json(json.text())).isNotNull();
        assertThat(json.text()).startsWith("\"a\uFFFD").endsWith("\uFFFD\"");
    }

    @Test
    void aTypeOfAnUsersIsTextAndWithAnUnderscoreAnArrayOfIt() {
        assertThat(json(TYPES.describe(70_000, "public", "mood"), "{happy}")).isEqualTo("\"{happy}\"");
        assertThat(json(TYPES.describe(70_001, "public", "_mood"), "{happy,\"so so\",NULL}"))
                .isEqualTo("[\"happy\",\"so so\",null]");
        assertThat(json(TYPES.describe(70_002, "public", "_happy"), "(1,2)")).isEqualTo("\"(1,2)\"");
    }

    @Test
    void aDomainIsItsBaseType() {
        assertThat(json(TYPES.describe(70_003, "pg_catalog", "int4"), "7")).isEqualTo("7");
        assertThat(json(TYPES.describe(70_004, "pg_catalog", "_numeric"), "{1.50}"))
                .isEqualTo("[1.50]");
        assertThat(json(TYPES.describe(70_005, "pg_catalog", "brand_new"), "{1.50}"))
                .isEqualTo("\"{1.50}\"");
        assertThat(json(TYPES.describe(70_006, "public", "int4"), "7")).isEqualTo("\"7\"");
    }

    @Test
    void aBufferCanBeUsedAgainAndDoesNotKeepWhatAGiantNeeded() {
        JsonBuffer json = new JsonBuffer();
        json.string("x".repeat(3_000_000));
        assertThat(json.text()).hasSize(3_000_002);
        json.clear();
        assertThat(json.text()).isEmpty();
        json.string("y");
        assertThat(json.text()).isEqualTo("\"y\"");
    }

    @ParameterizedTest
    @CsvSource({
        "0,0/0",
        "1,0/1",
        "96149237832,16/62F0F048",
        "-1,FFFFFFFF/FFFFFFFF",
        "4294967296,1/0",
        "16,0/10",
        "268435455,0/FFFFFFF"
    })
    void anLsnIsWrittenAsPostgresDoes(long lsn, String text) {
        JsonBuffer json = new JsonBuffer();
        json.lsn(lsn);
        assertThat(json.text()).isEqualTo('"' + text + '"');
    }
}
