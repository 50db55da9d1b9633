package org.pgbaton.server.notice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgbaton.Fuzz;
import org.pgbaton.database.Printable;
import org.pgbaton.server.notice.Template.Escaping;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Whatever is written as a template is refused in a sentence, or filled from any change, or the change is parked with a sentence. A template that
 * makes JSON of one row makes JSON of a row with other texts, whatever they are.
 */
class AnyTemplateIsFilledOrRefusedTest {
    /** A seed that found something stays; the input is a test of {@link TemplateTest}. */
    private static final List<Long> SEEDS = List.of(
            1L, // a brace in a tag, whose end the library saw elsewhere; a list within itself
            2L,
            20459757315915L, // a name of control characters
            20618995562930L); // a backslash before a place in JSON

    private static final List<Escaping> ESCAPINGS = List.of(Escaping.values());

    private static final List<String> VALID = List.of(
            "{{operation}} of {{table}}, key {{key}}: {{row.name}} at {{committedAt}}",
            "{\"text\": \"{{row.name}} is {{row.state}}\", \"row\": {{row}}, \"n\": {{count}}, \"old\": {{before}}}",
            "{\"all\": [{{#changes}}{\"k\": {{key}}, \"v\": {{row.name}}}{{^-last}},{{/-last}}{{/changes}}]}",
            "{{#before}}was {{name}}{{/before}}{{^before}}new{{/before}}\n{{! a comment }}",
            "{{#row.tags}}<li>{{.}} {{-index}}</li>{{/row.tags}}{{#changed}}{{.}}, {{/changed}}",
            "{\"a\\\"b\": \"\\\\{{row.name}}\", \"l\": {{row.tags}}}",
            "no places at all");

    private static final List<String> PARTS = List.of(
            "{{",
            "}}",
            "{{{",
            "}}}",
            "{{#row}}",
            "{{/row}}",
            "{{#changes}}",
            "{{/changes}}",
            "{{^row}}",
            "{{#row.tags}}",
            "{{/row.tags}}",
            "{{.}}",
            "{{#.}}",
            "{{/.}}",
            "{{this}}",
            "{{row.name}}",
            "{{row.none}}",
            "{{row.}}",
            "{{.row}}",
            "{{-index}}",
            "{{=<% %>=}}",
            "{{>x}}",
            "{{&row}}",
            "{{!",
            "{{ }}",
            "{{/x @ line 99999999999}}",
            "{{#}}",
            "{{/}}",
            "{{row.name.length}}",
            "{{changes.size}}",
            "\"",
            "\\",
            "\\\\",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\n",
            "\r\n",
            "\0",
            "\u2028",
            "\ufeff",
            "😀");

    private static final List<RowChange> PLAIN = List.of(
            RowChanges.insert(row("n", "n")),
            RowChanges.update(row("n", "n"), row("b", "n")),
            RowChanges.insert(row("n", "n")));
    private static final List<RowChange> HOSTILE = List.of(
            RowChanges.insert(row("\\\"}, {{key}} <b> \\u0000\\n&", "\\\\")),
            RowChanges.update(row("\\\"", "\\\\"), row("\\\"],{\\\"x\\\":1", "\\u2028")),
            RowChanges.insert(row("\\\\", "\\\"")));
    private static final List<RowChange> TRUNCATE = List.of(RowChanges.truncate());

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(tools.jackson.databind.DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static String row(String name, String state) {
        return "{\"name\": \"" + name + "\", \"state\": \"" + state
                + "\", \"nothing\": null, \"n\": 12.50, \"tags\": [\"" + name
                + "\", 2, [3]], \"deep\": {\"a\": {\"b\": true}}}";
    }

    @Test
    void inputsOfSeeds() throws Exception {
        for (long seed : SEEDS) {
            run(seed, 4_000);
        }
        run(Fuzz.freshSeed(), 4_000);
    }

    @Test
    @Tag("heavy")
    void aMillionInputs() throws Exception {
        run(Fuzz.freshSeed(), 1_000_000);
    }

    private static void run(long seed, int inputs) throws Exception {
        int filled = Fuzz.run(seed, inputs, VALID, PARTS, AnyTemplateIsFilledOrRefusedTest::isFilled);
        assertThat(filled).isBetween(inputs / 20, inputs - inputs / 20);
    }

    private static boolean isFilled(String input) {
        Escaping escaping = ESCAPINGS.get(Math.floorMod(input.hashCode(), ESCAPINGS.size()));
        Template template;
        try {
            template = Template.of(input, escaping);
        } catch (Template.Wrong refused) {
            assertThat(refused.getMessage()).matches("\\P{Cntrl}{5,400} \\(line \\d+ of the template\\)");
            return false;
        }
        String plain = filled(template, PLAIN);
        String hostile = filled(template, HOSTILE);
        filled(template, TRUNCATE);
        if (escaping == Escaping.JSON) {
            assertThat(isJson(hostile)).as(hostile).isEqualTo(isJson(plain));
        } else if (escaping == Escaping.LINE) {
            assertThat(hostile.lines().count()).isEqualTo(plain.lines().count());
        }
        return true;
    }

    /** Empty if the changes are parked. */
    private static String filled(Template template, List<RowChange> changes) {
        try {
            return template.fill(RowChange.data(changes));
        } catch (HandlerException parked) {
            assertThat(parked.verdict()).isEqualTo(Verdict.PARK);
            assertThat(Printable.line(parked.getMessage())).matches("The template .{10,}");
            return "";
        }
    }

    private static boolean isJson(String text) {
        try {
            JSON.readTree(text);
            return true;
        } catch (JacksonException none) {
            return false;
        }
    }
}
