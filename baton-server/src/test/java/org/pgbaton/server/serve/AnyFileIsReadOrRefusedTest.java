package org.pgbaton.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgbaton.Fuzz;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.config.ConfigurationException;

/** Whatever is in a baton.yaml, it is read, or refused with a line and a sentence for each problem. */
class AnyFileIsReadOrRefusedTest {
    /** A seed that found something stays; the input is a test of {@link BatonYamlTest} or {@link ChannelYamlTest}. */
    private static final List<Long> SEEDS = List.of(
            1L, // a channel without a name beside a capture; a tab in a template's place
            2L,
            3L, // an emoji between two pieces of the file
            21027996061003L); // an escape that is cut off

    /** Of which there is only what is given as its text. */
    private static final Path FILE = Path.of("no-such-folder", "baton.yaml");

    private static final Pattern PROBLEM =
            Pattern.compile(Pattern.quote(FILE.toString()) + ":([1-9]\\d*): \\P{Cntrl}{5,1500}");

    private static final Map<String, String> ENVIRONMENT =
            Map.of("HOOK", "https://example.com/hook", "PORT", "8080", "SECRET", "s3cret", "EMPTY", "");

    private static final List<String> VALID = List.of("""
            database: {url: "postgres://app@db:5433/shop", password: "${SECRET}", schema: baton}
            http: {port: "${PORT:80}", address: 0.0.0.0}
            relays:
              - name: trades
                log: outbox
                target: {stdout: {}}
            """, """
            relays:
              - name: 'trades'
                order: total
                from: 17
                types: [a, "b"]
                attempts: 5
                backoff: {shortest: 10ms, longest: 1.5h}
                target:
                  stdout:
              - name: "other"   # a comment
                subscription: other
                key-prefix: x
                workers: 4
                batch: 100
                target: {stdout: }
            """, """
            captures:
              - name: limits
                tables:
                  - public.alert
                  - {name: public.trade, columns: [id, amount], where: amount > 1000, key: [account]}
                operations: [insert, update]
                messages: limits
                snapshot: true
                channels: [ops]
            channels:
              - name: ops
                source: other
                stdout: {}
                start: origin
                digest: 5m
                rate-limit: 30/m
                template: |
                  {{operation}} of {{table}}:
                  {{#changes}}{{row.id}} {{/changes}}
                when:
                  - tables: [public.trade]
                    operations: [update]
                    columns: {amount: {">=": 1000, "!=": 5}, state: open, note: {is: not null}, kind: {in: [a, b]}}
                  - changed: [state]
            """);

    private static final List<String> PARTS = List.of(
            "{",
            "}",
            "[",
            "]",
            "{a: ",
            "}",
            "- ",
            "\n",
            "  ",
            "\n    ",
            ": ",
            "? ",
            ", ",
            "\"",
            "'",
            "|",
            ">-",
            "#",
            "&a ",
            "*a",
            "!!str ",
            "!<x> ",
            "%YAML 1.9\n",
            "---\n",
            "...\n",
            "\t",
            "\r\n",
            "~",
            "null",
            "true",
            "0",
            "-1",
            "99999999999999999999",
            "1e9",
            "${SECRET}",
            "${EMPTY}",
            "${NONE}",
            "${",
            "$${",
            "${PORT:",
            "{{",
            "}}",
            "\0",
            "\u0085",
            "\u2028",
            "\ufeff",
            "\u202e",
            "é",
            "😀",
            "\\u0000",
            "\"\\n\\e\"",
            "<<: ",
            "name: x\n",
            "url-file: x\n",
            "webhook: {url: 'http://[::1]:x/'}",
            "password-file: .",
            "password: x\n");

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
        int read = Fuzz.run(seed, inputs, VALID, PARTS, AnyFileIsReadOrRefusedTest::isRead);
        assertThat(read).isBetween(inputs / 50, inputs - inputs / 20);
    }

    private static boolean isRead(String input) {
        BatonYaml yaml;
        try {
            yaml = BatonYaml.parse(input, FILE, ENVIRONMENT);
        } catch (ConfigurationException refused) {
            String[] lines = String.valueOf(refused.getMessage()).split("\n", -1);
            long last = input.chars().filter(c -> c == '\n' || c == '\r').count() + 1;
            for (int i = 0; i < lines.length - 1; i++) {
                Matcher problem = PROBLEM.matcher(lines[i]);
                if (!problem.matches() || Long.parseLong(problem.group(1)) > last) {
                    throw new AssertionError("This is no problem in " + last + " lines: " + lines[i]);
                }
            }
            assertThat(lines[lines.length - 1])
                    .isEqualTo("baton: " + FILE + " has " + Output.count(lines.length - 1, "problem") + ".");
            return false;
        }
        yaml.relays()
                .forEach(relay -> assertThat(relay.target().toString() + relay.subscription())
                        .isNotEmpty());
        yaml.channelSubscriptions()
                .forEach(each -> assertThat(each.channel().target()).isNotEmpty());
        assertThat(yaml.schema() + yaml.http().port() + yaml.http().address() + yaml.database())
                .isNotEmpty();
        return true;
    }
}
