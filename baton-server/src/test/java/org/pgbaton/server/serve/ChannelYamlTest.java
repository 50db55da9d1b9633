package org.pgbaton.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.server.config.ConfigurationException;

/** What {@code captures} and {@code channels} of a file say, and what is said about their mistakes. */
class ChannelYamlTest {
    @TempDir
    private Path folder;

    private BatonYaml read(String yaml) throws IOException {
        return BatonYaml.read(
                Files.writeString(folder.resolve("baton.yaml"), yaml),
                Map.of("HOOK", "https://hooks.slack.com/s3cret"));
    }

    @Test
    void theSmallestUsefulFile() throws IOException {
        BatonYaml yaml = read("""
                captures:
                  - name: alerts
                    tables: [public.alert]
                    operations: [insert]
                    key: [k]                       # columns; default: the primary key
                    channels: [ops, hung]
                channels:
                  - name: ops
                    webhook: { url: "http://127.0.0.1:9000/ops", allow-private: true }
                  - name: hung
                    webhook: { url: "http://127.0.0.1:9000/slack", allow-private: true }
                """);

        CaptureConfig capture = yaml.captures().get(0);
        assertThat(capture.name()).isEqualTo("alerts");
        assertThat(capture.log()).isEqualTo("alerts");
        assertThat(capture.tables()).extracting(CaptureConfig.Table::name).containsExactly("public.alert");
        assertThat(capture.operations()).containsExactly("insert");
        assertThat(capture.key()).containsExactly("k");
        assertThat(capture.snapshot()).isFalse();
        assertThat(yaml.channelSubscriptions())
                .extracting(ChannelSubscription::subscription)
                .containsExactly("alerts-ops", "alerts-hung");
        assertThat(yaml.channelSubscriptions())
                .extracting(ChannelSubscription::log)
                .containsOnly("alerts");
        assertThat(yaml.channels().get(0).target()).isEqualTo("webhook http://127.0.0.1:9000/ops");
        assertThat(yaml.channels().get(0).start()).isEqualTo("now");
    }

    @Test
    void aLargerOne() throws IOException {
        BatonYaml yaml = read("""
                captures:
                  - name: limits
                    tables:
                      - public.alert
                      - {name: public.trade, columns: [id, amount], where: amount > 1000, key: [account]}
                    columns: [id]
                    messages: limits
                    log: changes
                    publication: theirs
                    slot: theirs
                    snapshot: true
                    channels: [ops]
                channels:
                  - name: ops
                    source: other
                    slack: {url: "${HOOK}"}
                    start: origin
                    digest: 5m
                    rate-limit: 30/m
                    template: "{{row.id}}"
                    when: [{tables: [public.trade]}, {changed: [state]}]
                """);
        CaptureConfig capture = yaml.captures().get(0);
        assertThat(capture.tables().get(0).columns()).containsExactly("id");
        assertThat(capture.tables().get(1).columns()).containsExactly("id", "amount");
        assertThat(capture.tables().get(1).where()).isEqualTo("amount > 1000");
        assertThat(capture.tables().get(1).key()).containsExactly("account");
        assertThat(capture.messages()).isEqualTo("limits");
        assertThat(capture.publication()).isEqualTo("theirs");
        assertThat(capture.slot()).isEqualTo("theirs");
        assertThat(capture.snapshot()).isTrue();
        assertThat(yaml.channelSubscriptions())
                .extracting(ChannelSubscription::subscription)
                .containsExactly("limits-ops", "other-ops");
        assertThat(yaml.channelSubscriptions())
                .extracting(ChannelSubscription::log)
                .containsExactly("changes", "other");
        assertThat(yaml.channels().get(0).target()).isEqualTo("Slack at hooks.slack.com");
        assertThat(yaml.channels().get(0).rateLimit()).isEqualTo("30/m");
    }

    @Test
    void theExamplesOfTheGuideAreRight() throws IOException {
        Files.writeString(folder.resolve("slack-url"), "https://hooks.slack.com/services/x\n");
        Files.writeString(folder.resolve("mail-password"), "x");
        Matcher example = Pattern.compile("(?ms)^```yaml\n(.*?)^```")
                .matcher(Files.readString(Path.of("..", "docs", "notifications.md")));
        int channels = 0;
        while (example.find()) {
            String yaml = example.group(1).replace("/run/secrets", folder.toString());
            if (!yaml.contains("captures:")) {
                yaml = "channels:\n  - name: c\n    source: s\n    webhook: {url: 'https://example.com'}\n"
                        + yaml.indent(4);
            }
            channels += read(yaml).channels().size();
        }
        assertThat(channels).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "stdout:, template: '{{tabel}}'          | 3: 'template' in channel 'c': there is no {{tabel}}: did you mean 'table'? (line 1 of the template)",
                "stdout:, template: '{{{row.a}}}'        | 3: 'template' in channel 'c': {{{name}}} and {{&name}} leave out the escaping",
                "stdout:, template: {subject: s, text: t} | 3: 'subject' and 'html' are for mail: a stdout has one text",
                "stdout:, template: {titel: s}           | 3: unknown key 'titel' in template",
                "stdout:, log:                           | 2: channel 'c' must lead to exactly one, and here are 2: stdout, log",
                "digest: 5m                              | 2: where channel 'c' leads to is missing: give one of webhook, slack, mail, stdout, log",
                "slak: {}                                | 3: unknown key 'slak' in channel 'c': did you mean 'slack'?",
                "slack: {}                               | 3: missing key 'url' (or 'url-file') in slack",
                "slack: {url: 'http://x.y/s3cret'}       | 3: slack: a webhook to x.y over plain http is refused: use https, or 'allow-private: true'",
                "mail: {host: h, from: me, to: [a@b.c]}  | 3: mail: 'me' is no sender's address",
                "mail: {host: h, from: a@b.c, to: [a@b.c], user: u} | 3: 'user' and 'password' in mail belong together",
                "mail: {host: h, from: a@b.c, to: a@b.c} | 3: 'to' in mail must be a list with at least one entry, not 'a@b.c'",
                "mail: {host: h, from: a@b.c, to: [a@b.c], tls: ssl} | 3: 'tls' in mail must be one of starttls, implicit, none, not 'ssl'",
                "stdout:, digest: 10ms                   | 3: 'digest' in channel 'c' must be a time from 1s to 1d",
                "stdout:, rate-limit: 10/d               | 3: 'rate-limit' in channel 'c' must be a rate like 10/s, 30/m or 100/h, not '10/d'",
                "stdout:, rate-limit: 0/s                | 3: 'rate-limit' in channel 'c' must be a rate",
                "stdout:, start: later                   | 3: 'start' in channel 'c' must be one of now, origin, not 'later'",
                "stdout:, when: []                       | 3: 'when' in channel 'c' is empty: leave it out for all changes",
                "stdout:, when: [{}]                     | 3: a rule says nothing: give tables, operations, columns or changed",
                "stdout:, when: [{colums: {a: 1}}]       | 3: unknown key 'colums' in rule: did you mean 'columns'?",
                "stdout:, when: [{operations: [insrt]}]  | 3: 'operations' in rule must be one of insert, update, delete, truncate, read, message, not 'insrt': did you mean 'insert'?",
                "stdout:, when: [{columns: {a: {'=': 1}}}] | 3: unknown key '=' in comparison",
                "stdout:, when: [{columns: {a: {}}}]     | 3: a comparison is missing: give ==, !=, <, <=, >, >=, in or is",
                "stdout:, when: [{columns: {a: {is: 0}}}] | 3: 'is' in comparison must be null or not null, not '0'",
                "stdout:, when: [{columns: {a: }}]       | 3: a comparison is missing",
                "stdout:, when: [{changed: [a], operations: [insert]}] | 3: 'changed' is about updates",
            })
    void mistakesOfAChannelAreToldWithTheirLine(String channel, String problem) {
        assertThatThrownBy(() -> read("channels:\n  - {name: c, source: s,\n    " + channel + "}\n"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("baton.yaml:" + problem)
                .hasMessageNotContaining("s3cret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "captures: [{name: a, tables: [t], channels: [opps]}]|there is no channel 'opps' for capture 'a': did you mean 'ops'?",
                "captures: [{name: a, tables: [t], channels: [xyz]}] |there is no channel 'xyz' for capture 'a': describe it under 'channels'",
                "captures: [{name: a, tables: [t]}]                  |channel 'ops' is named by no capture, so nothing would go there",
                "captures: [{name: a, tables: [t], channels: [ops, ops]}] |channel 'ops' is named twice by capture 'a'",
                "captures: [{name: a, channels: [ops]}]              |capture 'a' has nothing to capture: give 'tables', or 'messages'",
                "captures: [{name: A-b, tables: [t]}]                |'name' in capture 'A-b' must be 1 to 40 small letters",
                "captures: [{name: a, tables: [t]}, {name: a, tables: [t]}] |capture name 'a' is given twice",
                "captures: [{name: a, tabels: [t]}]                  |unknown key 'tabels' in capture 'a': did you mean 'tables'?",
                "captures: [{name: a, tables: [{nam: t}]}]           |unknown key 'nam' in table: did you mean 'name'?",
            })
    void mistakesOfACaptureAreTold(String captures, String problem) {
        assertThatThrownBy(() -> read(captures + "\nchannels: [{name: ops, stdout: }]\n"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void namesOfSubscriptionsAreGivenOnce() {
        assertThatThrownBy(() -> read("""
                        relays:
                          - {name: a-ops, target: {stdout: }}
                        captures:
                          - {name: a, tables: [t], channels: [ops]}
                        channels:
                          - {name: ops, stdout: }
                          - {name: ops, log: , source: s}
                        """))
                .hasMessageContaining("4: subscription 'a-ops' is given twice, first in line 2")
                .hasMessageContaining("7: channel name 'ops' is given twice, first in line 6");
    }

    @Test
    void aChannelWithoutANameBesideACaptureIsTold() {
        assertThatThrownBy(() -> read("""
                        captures: [{name: a, tables: [t], channels: [ops]}]
                        channels:
                          - {stdout: , source: s}
                          - {stdout: }
                        """))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("3: missing key 'name' in channel")
                .hasMessageContaining("4: missing key 'name' in channel")
                .hasMessageContaining("1: there is no channel 'ops' for capture 'a'");
    }

    @Test
    void aLineBreakInATemplatesPlaceBreaksNoLineOfTheProblem() {
        assertThatThrownBy(() -> read("""
                        channels:
                          - {name: c, source: s, stdout: , template: "{{ta\\nbel}}"}
                        """))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("baton.yaml:2: 'template' in channel 'c': there is no {{ta bel}}");
    }
}
