package org.pgbaton.server.notice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.server.notice.Template.Escaping;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is in a row is a value, whatever it looks like. */
class TemplateTest {
    /** As it could come from anybody who can write to the table. */
    private static final String HOSTILE =
            "\"}, \"admin\": true, <!channel> <@U1> <script>alert('x')</script> & {{after}} {{{row}}} \\ \r\nBcc: evil@x.y \u2028 \t`=";

    private static String filled(String template, Escaping escaping, RowChange... changes) {
        return Template.of(template, escaping).fill(RowChange.data(List.of(changes)));
    }

    private static RowChange hostile() {
        return RowChanges.insert(JsonMapper.shared().writeValueAsString(Map.of("v", HOSTILE, HOSTILE, 1)));
    }

    @Test
    void everythingOfAChangeCanBeNamed() {
        RowChange change =
                RowChanges.update("{\"id\":1,\"amount\":5}", "{\"id\":1,\"amount\":12345678901234567890.10}");
        assertThat(filled(
                        "{{table}} {{operation}} {{key}} {{before.amount}} {{after.amount}} {{row.id}} {{#changed}}{{.}};{{/changed}} {{count}}",
                        Escaping.TEXT,
                        change))
                .isEqualTo("public.alert update 42 5 12345678901234567890.10 1 amount; 1");
        assertThat(filled("{{lsn}} {{committedAt}} {{position}}", Escaping.TEXT, RowChanges.insert("{}")))
                .isEqualTo("0/16B3748 2026-01-01T12:00:00.123456Z 0");
        assertThat(filled("{{#after}}{{a}}{{/after}}{{^after}}gone{{/after}}", Escaping.TEXT, RowChanges.delete("{}")))
                .isEqualTo("gone");
        assertThat(filled("[{{before.id}}]", Escaping.TEXT, RowChanges.insert("{}")))
                .isEqualTo("[]");
        assertThat(filled(
                        "{{row.a}}|{{row.b}}|{{row.c}}",
                        Escaping.TEXT,
                        RowChanges.insert("{\"a\":null,\"b\":[1,\"x\"],\"c\":true}")))
                .isEqualTo("|[1,\"x\"]|true");
        assertThat(filled(
                        "{{count}}:{{#changes}} {{row.n}}{{^-last}},{{/-last}}{{/changes}}",
                        Escaping.TEXT,
                        RowChanges.insert("{\"n\":1}"),
                        RowChanges.insert("{\"n\":2}")))
                .isEqualTo("2: 1, 2");
    }

    @Test
    void inJsonAValueStaysAValue() {
        JsonNode made = JsonMapper.shared()
                .readTree(filled(
                        "{\"text\": \"v: {{row.v}}!\", \"whole\": {{row.v}}, \"row\": {{row}}, \"n\": {{count}}}",
                        Escaping.JSON,
                        hostile()));
        assertThat(made.propertyNames()).containsExactly("text", "whole", "row", "n");
        assertThat(made.get("text").asString()).isEqualTo("v: " + HOSTILE + "!");
        assertThat(made.get("whole").asString()).isEqualTo(HOSTILE);
        assertThat(made.get("row").get("v").asString()).isEqualTo(HOSTILE);
        assertThat(made.get("n").asInt()).isEqualTo(1);

        assertThat(filled(
                        "{\"a\": {{row.a}}, \"b\": \"{{row.a}}\", \"c\": \"{{row.o}}\"}",
                        Escaping.JSON,
                        RowChanges.insert("{\"a\":null,\"o\":{\"x\":\"y\"}}")))
                .isEqualTo("{\"a\": null, \"b\": \"\", \"c\": \"{\\\"x\\\":\\\"y\\\"}\"}");
        assertThat(filled("{\"a\": \"x\\\"{{row.a}}\"}", Escaping.JSON, RowChanges.insert("{\"a\":\"\\\"\"}")))
                .isEqualTo("{\"a\": \"x\\\"\\\"\"}");
        assertThat(filled(
                        "[{{#changes}}{{row.n}}{{^-last}},{{/-last}}{{/changes}}]",
                        Escaping.JSON,
                        RowChanges.insert("{\"n\":1.50}"),
                        RowChanges.insert("{\"n\":\"x\"}")))
                .isEqualTo("[1.50,\"x\"]");
    }

    @Test
    void inSlackNobodyIsCalledAndNoLinkIsHidden() {
        String text = filled("*{{table}}* <https://example.com|open>: {{row.v}}", Escaping.SLACK, hostile());
        assertThat(text).startsWith("*public.alert* <https://example.com|open>: ");
        assertThat(text.substring(text.indexOf(": ")))
                .doesNotContain("<", ">")
                .contains("&lt;!channel&gt; &lt;@U1&gt;", " &amp; ");
    }

    @Test
    void inHtmlNothingIsMarkup() {
        String html = filled("<p title=\"{{row.v}}\" id='{{row.v}}'>{{row.v}}</p>", Escaping.HTML, hostile());
        String values = html.replaceAll("^<p title=\"|\" id='|'>|</p>$", "");
        assertThat(values).doesNotContain("<", ">", "\"", "'", "`", "=").contains("&lt;script&gt;");
    }

    @Test
    void aLineStaysALine() {
        assertThat(filled("{{row.v}}", Escaping.LINE, hostile()))
                .doesNotContain("\r", "\n", "\u2028", "\t")
                .contains(" Bcc: evil@x.y ");
    }

    @Test
    void valuesAreNotTemplates() {
        assertThat(filled("{{row.v}}", Escaping.TEXT, hostile())).isEqualTo(HOSTILE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{row.missing}}",
                "{{after.id.bytes}}",
                "{{row.name.length}}",
                "{{row.name.class}}",
                "{{row.class}}",
                "{{changes.size}}",
                "{{row.entrySet}}",
                "{{#row}}{{toString}}{{/row}}",
                "{{#row.missing}}x{{/row.missing}}",
                "{{^row.missing}}x{{/row.missing}}",
            })
    void whatAChangeDoesNotHaveParksItAndNothingElseCanBeReached(String template) {
        assertThatThrownBy(() -> filled(template, Escaping.TEXT, RowChanges.insert("{\"id\":1,\"name\":\"x\"}")))
                .isInstanceOfSatisfying(
                        HandlerException.class,
                        refused -> assertThat(refused.verdict()).isEqualTo(Verdict.PARK))
                .hasMessageContaining("insert of public.alert");
    }

    @Test
    void theSentenceNamesThePlace() {
        assertThatThrownBy(() -> filled("a\nb {{row.amuont}}", Escaping.TEXT, RowChanges.insert("{\"amount\":1}")))
                .hasMessage(
                        "The template has {{row.amuont}} in line 2, and this insert of public.alert has nothing of that name.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{{{row.a}}}        | leave out the escaping",
                "{{&row.a}}         | leave out the escaping",
                "{{& row.a}}        | leave out the escaping",
                "{{=<% %>=}}        | are refused",
                "{{>file}}          | are refused",
                "{{ > file}}        | are refused",
                "{{tabel}}          | there is no {{tabel}}: did you mean 'table'?",
                "{{amount}}         | there is no {{amount}}: columns are written {{row.name}}",
                "{{#row}}           | Section missing close tag 'row'",
                "{{#row}}{{/raw}}   | row",
                "{{row.a            | '{{' has no '}}'",
                "{{ }}              | {{}} has no name",
                "{{row.a}{{ }}      | between '{{' and '}}' stands another brace",
                "{{#row}}{{#row}}   | {{#row}} stands within itself",
                "{{#row}}{{/x @ line 99999999999}} | x @ line 99999999999",
            })
    void whatMakesNoSenseIsRefusedAtTheStart(String template, String says) {
        assertThatThrownBy(() -> Template.of("first\n" + template, Escaping.TEXT))
                .isInstanceOf(Template.Wrong.class)
                .hasMessageContaining(says)
                .hasMessageMatching("(?s).*\\(line \\d of the template\\)");
    }

    @Test
    void aJsonTemplateWhoseStringsDoNotEndIsRefused() {
        assertThatThrownBy(() -> Template.of("{\"a\": \"{{key}}}", Escaping.JSON))
                .hasMessageContaining("a string has no closing quotation mark");
    }

    @Test
    void aControlCharacterIsNoName() {
        assertThatThrownBy(() -> Template.of("{{#changed}}{{\b}}{{/changed}}", Escaping.TEXT))
                .isInstanceOf(Template.Wrong.class)
                .hasMessageContaining("{{}} has no name");
    }

    @Test
    void aLongOrStrangeNameIsShownInOneShortLine() {
        assertThatThrownBy(() -> Template.of("{{oper\n\tation" + "x".repeat(10_000) + "}}", Escaping.TEXT))
                .isInstanceOf(Template.Wrong.class)
                .hasMessageContaining("there is no {{oper ationxxx")
                .hasMessageMatching("\\P{Cntrl}{5,400}");
    }

    /** It would go through the list once for each of its elements, eight times over: never finished, if the list is long. */
    @Test
    void aListWithinItselfIsRefused() {
        String template = "{{#row.tags}}".repeat(8) + "x" + "{{/row.tags}}".repeat(8);
        assertThatThrownBy(() -> Template.of(template, Escaping.TEXT))
                .isInstanceOf(Template.Wrong.class)
                .hasMessageContaining("{{#row.tags}} stands within itself");
        assertThat(filled(
                        "{{#row.tags}}{{#.}}{{#.}}{{.}}{{/.}}{{/.}}{{/row.tags}}",
                        Escaping.TEXT,
                        RowChanges.insert("{\"tags\":[[[1,2],[3]]]}")))
                .isEqualTo("123");
    }

    @Test
    void sectionsDeeperThanAnybodyNeedsAreRefused() {
        assertThatThrownBy(() -> Template.of("{{#row}}" + "{{#.}}".repeat(20_000), Escaping.TEXT))
                .isInstanceOf(Template.Wrong.class)
                .hasMessageContaining("sections are nested more than 10 deep");
    }

    /** The backslash would escape the one that a quotation mark in the row is escaped with, and the string would end there. */
    @Test
    void aBackslashBeforeAPlaceInJsonIsRefused() {
        assertThatThrownBy(() -> Template.of("{\"a\\{{row.name}}\"b\": 1}", Escaping.JSON))
                .isInstanceOf(Template.Wrong.class)
                .hasMessageContaining("a backslash before '{{'");
        assertThat(filled("\"\\\\{{row.name}}\"", Escaping.JSON, RowChanges.insert("{\"name\":\"\\\"\"}")))
                .isEqualTo("\"\\\\\\\"\"");
    }
}
