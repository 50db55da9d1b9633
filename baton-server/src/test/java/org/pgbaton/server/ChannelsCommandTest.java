package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton channels} needs a file, and no database. */
@Timeout(120)
class ChannelsCommandTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void write() throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), """
                captures:
                  - {name: alerts, tables: [public.alert], key: [k], channels: [ops, slack]}
                channels:
                  - name: ops
                    webhook: {url: "http://127.0.0.1:1/ops", allow-private: true}
                    when: [{columns: {n: {">": 1}}}]
                  - name: slack
                    slack: {url: "https://hooks.slack.com/services/T1/s3cret"}
                    template: "*{{row.v}}*"
                    digest: 5m
                    rate-limit: 10/m
                """);
    }

    private Cli.Ended run(String... arguments) {
        return Cli.baton(arguments).in(folder).run();
    }

    @Test
    void theyAreListed() {
        Cli.Ended list = run("channels", "list").succeeds();
        assertThat(list.out().lines().map(String::strip))
                .containsExactly(
                        "CHANNEL  KIND     SUBSCRIPTIONS  WHEN          DIGEST  RATE LIMIT  TARGET",
                        "ops      webhook  alerts-ops     1 rule        -       -           webhook http://127.0.0.1:1/ops",
                        "slack    slack    alerts-slack   every change  5 min   10/m        Slack at hooks.slack.com");
        JsonNode json = JsonMapper.shared()
                .readTree(run("channels", "list", "--json").succeeds().out());
        assertThat(json.get(1).get("target").asString()).isEqualTo("Slack at hooks.slack.com");
        assertThat(json.get(1).get("digestSeconds").asInt()).isEqualTo(300);
    }

    @Test
    void aTestShowsWhatWouldBeSent() throws Exception {
        Cli.Ended slack = run("channels", "test", "slack", "--row", "{\"k\": \"P7\", \"v\": \"<!here>\"}")
                .succeeds();
        assertThat(slack.out()).isEqualTo("to: Slack at hooks.slack.com\ntext: *&lt;!here&gt;*\n");
        assertThat(slack.err()).isEmpty();

        JsonNode ops = JsonMapper.shared()
                .readTree(run("channels", "test", "ops", "--row", "{\"k\": \"P7\", \"n\": 2}", "--json")
                        .succeeds()
                        .out());
        assertThat(ops.get("about").asBoolean()).isTrue();
        JsonNode body = JsonMapper.shared().readTree(ops.at("/notice/body").asString());
        assertThat(body.get("table").asString()).isEqualTo("public.alert");
        assertThat(body.at("/after/n").asInt()).isEqualTo(2);
    }

    @Test
    void whatWouldNotBeSentHasItsReasonAndExitsWithOne() {
        Cli.Ended notAbout = run("channels", "test", "ops", "--row", "{\"n\": 1}");
        assertThat(notAbout.code()).isEqualTo(1);
        assertThat(notAbout.err())
                .isEqualTo("baton: No rule of channel 'ops' is about this change: nothing would be sent.\n");
        run("channels", "test", "ops").complains(1, "column 'n' is not there: is it captured, and spelt so?");
        run("channels", "test", "slack").complains(1, "The template has {{row.v}} in line 1");
    }

    @Test
    void sendReallySends() throws Exception {
        try (Receiver receiver = Receiver.start()) {
            Files.writeString(
                    folder.resolve("baton.yaml"),
                    "channels: [{name: ops, source: a, webhook: {url: '" + receiver.url("/ops")
                            + "', allow-private: true}}]");
            Cli.Ended sent = run("channels", "test", "ops", "--send").succeeds();
            assertThat(sent.err()).isEqualTo("baton: Sent.\n");
            assertThat(receiver.at("/ops")).hasSize(1);
            assertThat(sent.out()).contains("body: {\"table\":\"public.sample\"");
            receiver.answer(received -> 422);
            Cli.Ended refused = run("channels", "test", "ops", "--send");
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.err()).contains("refuses this message (422)");
        }
    }

    @Test
    void badInputIsASentence() throws Exception {
        run("channels", "test", "opps").complains(78, "There is no channel 'opps' in baton.yaml; did you mean 'ops'?");
        run("channels", "test", "ops", "--row", "hello").complains(64, "--row must be a JSON object");
        run("channels", "test", "ops", "--row", "{}").complains(64, "--row must be a JSON object");
        run("channels", "list", "-c", "none.yaml").complains(64, "none.yaml cannot be read");
        assertThat(run("channels", "--help").succeeds().out()).contains("baton channels test ops --row");
    }
}
