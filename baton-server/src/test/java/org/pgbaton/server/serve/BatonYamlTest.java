package org.pgbaton.server.serve;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.subscription.MessageOrder;

/** What a file says is understood; what is wrong with it is told with its line, everything at once, and without secrets. */
class BatonYamlTest {
    private static final String SIGNING = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0";
    private static final Map<String, String> ENVIRONMENT = Map.of(
            "HOOK",
            "https://example.com/hook",
            "SIGNING",
            SIGNING,
            "PORT",
            "8080",
            "EMPTY",
            "",
            "WORDS",
            "s3cret words");

    @TempDir
    private Path folder;

    /** @param problems line and sentence of each, in order */
    private record Mistake(String name, String yaml, List<String> problems) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Mistake mistake(String name, String yaml, String... problems) {
        return new Mistake(name, yaml, List.of(problems));
    }

    /** A relay with more keys, and a webhook with more keys; both begin in a line of their own. */
    private static String relay(String relayKeys, String webhookKeys) {
        return """
                relays:
                  - name: trades
                    target:
                      webhook:
                        url: https://example.com/hook
                """ + webhookKeys.indent(8) + relayKeys.indent(4);
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(
                mistake("nothing", "", "1: nothing would run: give at least one of 'relays', 'captures', 'channels'"),
                mistake(
                        "only a comment",
                        "# later\n",
                        "1: nothing would run: give at least one of 'relays', 'captures', 'channels'"),
                mistake("a text", "hello", "1: the file must be a mapping, not a text"),
                mistake("a list", "- a\n", "1: the file must be a mapping, not a list"),
                mistake(
                        "no YAML",
                        "relays: [",
                        "1: this is no YAML: expected the node content, but found '<stream end>'"),
                mistake(
                        "an escape that is cut off",
                        "http:\n  port: 1\n  address: \"\\u",
                        "3: in this line or below is something that is no YAML, for instance a \\u in quotation marks without its digits"),
                mistake(
                        "indented by tabs",
                        "relays:\n\t- name: x\n",
                        "2: this is no YAML: found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation)"),
                mistake(
                        "indented wrongly",
                        "relays:\n  - name: a\n   log: b\n",
                        "3: this is no YAML: expected <block end>, but found '<block mapping start>'; check how the lines are indented"),
                mistake(
                        "control character",
                        "relays:\n  - name: a\u0001\n",
                        "2: the character U+0001 is not allowed in YAML"),
                mistake(
                        "two documents",
                        relay("", "") + "---\na: b\n",
                        "6: a second document begins here; a file has one"),
                mistake(
                        "an alias",
                        "http: &h\n  port: 1\n" + relay("log: *h\n", ""),
                        "1: anchors (&) are not supported: write the value out where it is needed",
                        "8: aliases (*) are not supported: write the value out"),
                mistake("a tag", relay("log: !!str outbox\n", ""), "6: tags (!) are not supported: leave it out"),
                mistake(
                        "nested too deep",
                        "relays: " + "[".repeat(40) + "]".repeat(40),
                        "1: this is no YAML: it is nested more than 30 levels deep"),
                mistake("a key that is a list", "[a]: b\n" + relay("", ""), "1: a key must be a text, not a list"),
                mistake(
                        "unknown key at the top",
                        "realys:\n",
                        "1: unknown key 'realys': did you mean 'relays'?",
                        "1: nothing would run: give at least one of 'relays', 'captures', 'channels'"),
                mistake(
                        "unknown key far from any",
                        "colour: red\n" + relay("", ""),
                        "1: unknown key 'colour': it can be database, databases, http, relays, captures, channels"),
                mistake(
                        "unknown key in the relay",
                        relay("lgo: x\n", ""),
                        "6: unknown key 'lgo' in relay 'trades': did you mean 'log'?"),
                mistake(
                        "unknown key in the webhook",
                        """
                        relays:
                          - name: trades
                            log: outbox
                            target:

                              webhook:
                                uurl: http://127.0.0.1:9000/hook
                        """,
                        "6: missing key 'url' (or 'url-file') in webhook",
                        "7: unknown key 'uurl' in webhook: did you mean 'url'?"),
                mistake(
                        "unknown key of stdout",
                        "relays:\n  - name: a\n    target: {stdout: {file: x}}\n",
                        "3: unknown key 'file' in stdout: it has none"),
                mistake("no relays", "relays:\n", "1: 'relays' must be a list, not nothing"),
                mistake(
                        "empty list of relays",
                        "relays: []\n",
                        "1: 'relays' is empty, so nothing would run: give at least one"),
                mistake(
                        "relays as a mapping",
                        "relays:\n  trades:\n    log: outbox\n",
                        "1: 'relays' must be a list, not a mapping"),
                mistake("a relay that is a text", "relays:\n  - trades\n", "2: relay must be a mapping, not a text"),
                mistake(
                        "a relay with nothing",
                        "relays:\n  - log: outbox\n",
                        "2: missing key 'name' in relay",
                        "2: missing key 'target' in relay"),
                mistake(
                        "no target",
                        "relays:\n  - name: a\n    target: {}\n",
                        "3: the target is missing: give one of webhook, kafka, rabbitmq, nats, stdout"),
                mistake(
                        "target as a text",
                        "relays:\n  - name: a\n    target: webhook\n",
                        "3: target must be a mapping, not a text"),
                mistake(
                        "unknown target",
                        "relays:\n  - name: a\n    target:\n      webhok:\n        url: x\n",
                        "4: unknown target 'webhok': did you mean 'webhook'?"),
                mistake(
                        "two targets",
                        "relays:\n  - name: a\n    target:\n      stdout:\n      webhook:\n        url: https://example.com\n",
                        "3: the target must be exactly one, and here are 2: webhook, stdout"),
                mistake(
                        "a key twice",
                        relay("log: a\nlog: b\n", ""),
                        "7: key 'log' in relay 'trades' is given twice, first in line 6"),
                mistake(
                        "a relay twice",
                        "relays:\n  - name: a\n    target: {stdout: }\n  - name: a\n    target: {stdout: }\n",
                        "4: relay name 'a' is given twice, first in line 2"),
                mistake(
                        "a subscription twice",
                        "relays:\n  - name: a\n    target: {stdout: }\n  - name: b\n    subscription: a\n    target: {stdout: }\n",
                        "5: subscription 'a' is given twice, first in line 2"),
                mistake(
                        "a header twice",
                        relay("", "headers:\n  A: b\n  A: c\n"),
                        "8: key 'A' in headers is given twice"),
                mistake(
                        "no number",
                        relay("workers: many\n", ""),
                        "6: 'workers' in relay 'trades' must be a whole number from 1 to 1024, not 'many'"),
                mistake(
                        "too many",
                        relay("workers: 1025\n", ""),
                        "6: 'workers' in relay 'trades' must be a whole number from 1 to 1024, not '1025'"),
                mistake(
                        "far too many",
                        relay("batch: 99999999999999999999\n", ""),
                        "6: 'batch' in relay 'trades' must be a whole number from 1 to 100000, not '99999999999999999999'"),
                mistake(
                        "a fraction",
                        relay("attempts: 1.5\n", ""),
                        "6: 'attempts' in relay 'trades' must be a whole number from 1 to 1000000, not '1.5'"),
                mistake(
                        "a list for a number",
                        relay("workers: [4]\n", ""),
                        "6: 'workers' in relay 'trades' must be a whole number from 1 to 1024, not a list"),
                mistake(
                        "no value",
                        relay("workers:\n", ""),
                        "6: 'workers' in relay 'trades' must be a whole number from 1 to 1024, not nothing"),
                mistake(
                        "no truth",
                        relay("", "allow-private: yes\n"),
                        "6: 'allow-private' in webhook must be true or false, not 'yes'"),
                mistake(
                        "no unit",
                        relay("handler-limit: 30\n", ""),
                        "6: 'handler-limit' in relay 'trades' must be a time from 1ms to 1d, written like 500ms, 30s or 5m, not '30'"),
                mistake(
                        "no time",
                        relay("", "timeout: soon\n"),
                        "6: 'timeout' in webhook must be a time from 1ms to 10m, written like 500ms, 30s or 5m, not 'soon'"),
                mistake(
                        "too short",
                        relay("slow-key: 0s\n", ""),
                        "6: 'slow-key' in relay 'trades' must be a time from 1ms to 1d, written like 500ms, 30s or 5m, not '0s'"),
                mistake(
                        "back-off the wrong way round",
                        relay("backoff:\n  shortest: 10s\n  longest: 1s\n", ""),
                        "6: 'longest' in backoff is shorter than 'shortest'"),
                mistake(
                        "unknown order",
                        relay("order: keys\n", ""),
                        "6: 'order' in relay 'trades' must be one of key, total, not 'keys': did you mean 'key'?"),
                mistake(
                        "workers in total order",
                        relay("order: total\nworkers: 4\n", ""),
                        "7: 'workers' in relay 'trades' makes no sense in total order, which has one: leave it out"),
                mistake(
                        "unknown start",
                        relay("from: yesterday\n", ""),
                        "6: 'from' in relay 'trades' must be origin, now or a position, not 'yesterday'"),
                mistake(
                        "a negative start",
                        relay("from: -1\n", ""),
                        "6: 'from' in relay 'trades' must be origin, now or a position, not '-1'"),
                mistake(
                        "types as a text",
                        relay("types: Booked\n", ""),
                        "6: 'types' in relay 'trades' must be a list of texts"),
                mistake(
                        "an empty name",
                        "relays:\n  - name: \"\"\n    target: {stdout: }\n",
                        "2: 'name' in relay '' must be a name of 1 to 200 characters, not ''"),
                mistake(
                        "a name of two lines",
                        "relays:\n  - name: \"a\\nb\"\n    target: {stdout: }\n",
                        "2: 'name' in relay 'a?b' must be a name of 1 to 200 characters, not 'a?b'"),
                mistake(
                        "no URL",
                        "relays:\n  - name: a\n    target: {webhook: {url: example.com}}\n",
                        "3: 'url' in webhook must be a URL that begins with https:// or http:// and names a host"),
                mistake(
                        "another protocol",
                        "relays:\n  - name: a\n    target: {webhook: {url: \"ftp://example.com/\"}}\n",
                        "3: 'url' in webhook must be a URL that begins with https:// or http:// and names a host"),
                mistake(
                        "a private address",
                        "relays:\n  - name: a\n    target:\n      webhook: {url: \"http://127.0.0.1:9000/hook\"}\n",
                        "4: webhook: a webhook to 127.0.0.1 over plain http is refused: use https, or 'allow-private: true' if it is in a network of your own"),
                mistake(
                        "secret and secrets",
                        relay("", "secret: " + SIGNING + "\nsecrets: [" + SIGNING + "]\n"),
                        "7: 'secret' and 'secrets' in webhook exclude each other: give one"),
                mistake(
                        "secret and its file",
                        relay("", "secret: " + SIGNING + "\nsecret-file: /none\n"),
                        "7: 'secret' and 'secret-file' in webhook exclude each other: give one"),
                mistake(
                        "a secret's file that is not there",
                        relay("", "secret-file: /no/such/file\n"),
                        "6: the file /no/such/file cannot be read: it does not exist"),
                mistake(
                        "an empty secret",
                        relay("", "secret: ${EMPTY}\n"),
                        "6: the environment variable EMPTY is not set: set it, or write ${EMPTY:default}"),
                mistake(
                        "a variable that is not set",
                        relay("log: ${NO_SUCH}\n", ""),
                        "6: the environment variable NO_SUCH is not set: set it, or write ${NO_SUCH:default}"),
                mistake(
                        "a reference that is none",
                        relay("log: ${a b}\n", ""),
                        "6: a reference is written ${NAME} or ${NAME:default}; for the characters '${' themselves write '$${'"),
                mistake(
                        "a variable with something else",
                        relay("workers: ${WORDS}\n", ""),
                        "6: 'workers' in relay 'trades' must be a whole number from 1 to 1024, and what ${WORDS} stands for is not"),
                mistake(
                        "no port",
                        "http: {port: 65536}\n" + relay("", ""),
                        "1: 'port' in http must be a whole number from 0 to 65535, not '65536'"),
                mistake(
                        "a password without a URL",
                        "database:\n  password: s3cret\n" + relay("", ""),
                        "2: 'password' in database needs 'url' beside it"),
                mistake(
                        "a user twice",
                        "database:\n  url: postgres://a@db/x\n  user: b\n" + relay("", ""),
                        "3: the URL in database names a user already: give it once"),
                mistake(
                        "a password twice",
                        "database:\n  url: postgres://a:s3cret@db/x\n  password: s3cret\n" + relay("", ""),
                        "3: the URL in database has a password already: give it once"),
                mistake(
                        "another database",
                        "database:\n  url: mysql://s3cret@db\n" + relay("", ""),
                        "2: the database URL starts with none of postgres://, postgresql:// and jdbc:postgresql://; write for example postgres://user@localhost:5432/mydb"),
                mistake(
                        "no schema",
                        "database: {schema: my-schema}\n" + relay("", ""),
                        "1: 'my-schema' cannot be the name of Baton's schema: use 1 to 50 letters, digits and underscores, not starting with a digit or with pg_ (default 'baton')"),
                mistake(
                        "no brokers",
                        "relays:\n  - name: a\n    target:\n      kafka:\n        bootstrap-servers: localhost\n",
                        "4: kafka: 'localhost' is no list of Kafka's servers: give host:port, several of them separated by commas"),
                mistake(
                        "unknown mode",
                        "relays:\n  - name: a\n    target:\n      kafka:\n        bootstrap-servers: b:9092\n        mode: exactly\n",
                        "6: 'mode' in kafka must be one of exactly-once, at-least-once, not 'exactly'"),
                mistake(
                        "groups without transactions",
                        "relays:\n  - name: a\n    target:\n      kafka:\n        bootstrap-servers: b:9092\n        mode: at-least-once\n        groups: 4\n",
                        "7: 'groups' in kafka makes sense only with mode exactly-once: leave it out"),
                mistake(
                        "a property of Baton's own",
                        "relays:\n  - name: a\n    target:\n      kafka:\n        bootstrap-servers: b:9092\n        properties: {acks: 1}\n",
                        "4: kafka: the setting acks=1 cannot be used: a message would count as published before it is safe"),
                mistake(
                        "a property that is a key of its own here",
                        "relays:\n  - name: a\n    target:\n      kafka:\n        bootstrap-servers: b:9092\n        properties: {delivery.timeout.ms: 1}\n",
                        "4: kafka: the setting delivery.timeout.ms cannot be used: say 'timeout' instead"),
                mistake(
                        "no AMQP",
                        "relays:\n  - name: a\n    target:\n      rabbitmq: {uri: \"http://u:s3cret@r\"}\n",
                        "4: rabbitmq: RabbitMQ's address starts with neither amqp:// nor amqps://; write for example amqps://user:password@localhost:5671/vhost"),
                mistake(
                        "a routing key of something unknown",
                        "relays:\n  - name: a\n    target:\n      rabbitmq: {uri: \"amqp://r\", routing-key: \"{tpoic}\"}\n",
                        "4: rabbitmq: the routing key '{tpoic}' has braces around something other than topic, key or type"),
                mistake(
                        "no source of CloudEvents",
                        "relays:\n  - name: a\n    target:\n      rabbitmq: {uri: \"amqp://r\", cloud-events: \"my shop\"}\n",
                        "4: rabbitmq: 'my shop' is no source of CloudEvents: give a URI or a part of one, in ASCII, for instance /shop/orders"),
                mistake(
                        "no NATS",
                        "relays:\n  - name: a\n    target:\n      nats: {url: \"s3cret\"}\n",
                        "4: nats: NATS's address starts with neither nats:// nor tls://; write for example tls://user:password@localhost:4222"),
                mistake(
                        "no credentials",
                        "relays:\n  - name: a\n    target:\n      nats:\n        url: nats://n\n        credentials-file: /no/such/file\n",
                        "6: the file /no/such/file of 'credentials-file' in nats cannot be read"),
                mistake(
                        "everything at once",
                        """
                        relays:
                          - name: a
                            wrokers: 4
                            batch: many
                            target:
                              webhook:
                                url: https://example.com/hook
                                timeout: 5
                          - name: a
                            order: all
                            target: {stdout: , nats: {}}
                        htpp: {}
                        """,
                        "3: unknown key 'wrokers' in relay 'a': did you mean 'workers'?",
                        "4: 'batch' in relay 'a' must be a whole number from 1 to 100000, not 'many'",
                        "8: 'timeout' in webhook must be a time from 1ms to 10m, written like 500ms, 30s or 5m, not '5'",
                        "9: relay name 'a' is given twice, first in line 2",
                        "10: 'order' in relay 'a' must be one of key, total, not 'all'",
                        "11: missing key 'url' (or 'url-file') in nats",
                        "11: the target must be exactly one, and here are 2: nats, stdout",
                        "12: unknown key 'htpp': did you mean 'http'?"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void eachMistakeIsToldWithItsLine(Mistake mistake) throws IOException {
        Path file = Files.writeString(folder.resolve("baton.yaml"), mistake.yaml);

        assertThatThrownBy(() -> BatonYaml.read(file, ENVIRONMENT))
                .isInstanceOfSatisfying(ConfigurationException.class, wrong -> {
                    List<String> lines =
                            String.valueOf(wrong.getMessage()).lines().toList();
                    assertThat(lines.subList(0, lines.size() - 1))
                            .containsExactlyElementsOf(mistake.problems.stream()
                                    .map(problem -> file + ":" + problem)
                                    .toList());
                    int count = mistake.problems.size();
                    assertThat(lines.get(lines.size() - 1))
                            .isEqualTo("baton: " + file + " has " + count + (count == 1 ? " problem." : " problems."));
                    assertThat(wrong.getMessage()).doesNotContain("s3cret", SIGNING);
                });
    }

    private BatonYaml read(String yaml) throws IOException {
        return BatonYaml.read(Files.writeString(folder.resolve("baton.yaml"), yaml), ENVIRONMENT);
    }

    @Test
    void theFileOfTheIssueWorksAsItStands() throws IOException {
        BatonYaml yaml = read("""
                relays:
                  - name: trades
                    log: outbox
                    target:
                      webhook:
                        url: http://127.0.0.1:9000/hook
                        allow-private: true        # loopback and private addresses, and plain http to them, are refused without it
                """);

        RelayConfig relay = yaml.relays().get(0);
        assertThat(relay.name()).isEqualTo("trades");
        assertThat(relay.subscription()).isEqualTo("trades");
        assertThat(relay.log()).isEqualTo("outbox");
        assertThat(relay.order()).isEqualTo(MessageOrder.PER_KEY);
        assertThat(relay.workers()).isEqualTo(4);
        assertThat(relay.target()).hasToString("webhook http://127.0.0.1:9000/hook");
        assertThat(yaml.database()).isNull();
        assertThat(yaml.schema()).isEqualTo("baton");
        assertThat(yaml.http().port()).isZero();
        assertThat(yaml.http().address()).isEqualTo("127.0.0.1");
    }

    @Test
    void everyKeyOfARelayIsUnderstood() throws IOException {
        BatonYaml yaml = read("""
                http: {port: "${PORT}", address: 0.0.0.0}
                relays:
                  - name: "1"
                    log: trades
                    subscription: trades-to-example
                    order: total
                    batch: 10
                    from: 17
                    attempts: 3
                    backoff: {shortest: 10ms, longest: 1m}
                    handler-limit: 10s
                    slow-key: 100ms
                    types: [Booked, Cancelled]
                    key-prefix: P
                    target:
                      webhook:
                        url: ${HOOK}
                        secrets: ["${SIGNING}"]
                        timeout: ${NO_SUCH:2.5s}
                        headers: {Authorization: Bearer x}
                        max-payload: 1000
                  - name: 02
                    from: now
                    target:
                      stdout:
                """);

        assertThat(yaml.http().port()).isEqualTo(8080);
        assertThat(yaml.http().address()).isEqualTo("0.0.0.0");
        assertThat(yaml.relays()).extracting(RelayConfig::name).containsExactly("1", "02");
        assertThat(yaml.relays()).extracting(RelayConfig::subscription).containsExactly("trades-to-example", "02");
        assertThat(yaml.relays()).extracting(RelayConfig::workers).containsExactly(1, 4);
        assertThat(yaml.relays().get(1).target()).hasToString("standard output");
    }

    @Test
    void userAndPasswordStandBesideTheUrlOrInIt() throws Exception {
        BatonYaml yaml = read("""
                database:
                  url: postgres://db.example.com/shop?sslmode=require
                  user: app
                  password: "a&b=c d@%+${WORDS}$${x}"
                  schema: other
                """ + relay("", ""));

        assertThat(yaml.database()).hasToString("postgres://app@db.example.com:5432/shop");
        assertThat(requireNonNull(yaml.database()).connectionProperties())
                .containsEntry("password", "a&b=c d@%+s3cret words${x}")
                .containsEntry("sslmode", "require");
        assertThat(yaml.schema()).isEqualTo("other");
        assertThat(read("database: {url: \"postgres://a:b@db/x\"}\n" + relay("", ""))
                        .database())
                .hasToString("postgres://a@db:5432/x");
    }

    @Test
    void aPasswordInAFileIsReadAnewAtEveryConnect() throws Exception {
        Path secret = Files.writeString(folder.resolve("password"), "first\n");
        BatonYaml yaml = read("""
                database:
                  url: postgres://app@db/shop
                  password-file: password
                """ + relay("", ""));

        assertThat(requireNonNull(yaml.database()).connectionProperties()).containsEntry("password", "first");
        Files.writeString(secret, "second\n");
        assertThat(requireNonNull(yaml.database()).connectionProperties()).containsEntry("password", "second");
    }

    @Test
    void secretsComeFromFilesBesideTheConfiguration() throws IOException {
        Files.writeString(folder.resolve("secrets"), SIGNING + "\n" + SIGNING + "\n");
        Files.writeString(folder.resolve("url"), "https://example.com/${HOOK}\n");

        assertThat(read(relay("", "secrets-file: secrets\n")).relays()).hasSize(1);
        // What is in such a file is taken as it is, and this is no URL.
        assertThatThrownBy(() -> read("relays:\n  - name: a\n    target: {webhook: {url-file: url}}\n"))
                .hasMessageContaining("3: 'url-file' in webhook must be a URL");
    }

    @Test
    void whatIsTooLargeOrNotInUtf8IsNotEvenParsed() throws IOException {
        Path large = Files.writeString(folder.resolve("large.yaml"), "#".repeat(1_000_001));
        assertThatThrownBy(() -> BatonYaml.read(large, Map.of()))
                .hasMessageContaining("large.yaml:1: the file is larger than 1 MB");
        Path latin = Files.write(folder.resolve("latin.yaml"), "relays: ü".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> BatonYaml.read(latin, Map.of())).hasMessageContaining("the file is not in UTF-8");
        assertThatThrownBy(() -> BatonYaml.read(folder, Map.of()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("is a folder");
    }

    @Test
    void whatThePublisherRefusesIsToldAtItsLine() {
        assertThatThrownBy(() -> read(relay("", "secret: s3cret\n")))
                .hasMessageContaining("baton.yaml:4: webhook: a webhook's secret must begin with whsec_")
                .message()
                .doesNotContain("s3cret");
        assertThatThrownBy(() -> read(relay("", "headers: {\"no header\": x}\n")))
                .hasMessageContaining("baton.yaml:4: webhook: ");
    }

    /** The YAML library reads in pieces of 1025 characters, and failed at one whose halves are in two of them. */
    @Test
    void anEmojiMayStandAnywhere() throws IOException {
        for (int length = 1015; length <= 1030; length++) {
            String comment = "# " + "x".repeat(length) + "😀\n";
            assertThat(read(comment + relay("", "")).relays()).hasSize(1);
        }
    }

    @Test
    void aByteOrderMarkAndWindowsLineEndsDoNoHarm() throws IOException {
        assertThat(read("\uFEFF" + relay("", "").replace("\n", "\r\n")).relays())
                .hasSize(1);
    }

    @Test
    void aLoginGoesToAnotherMachineUnencryptedOnlyIfThatIsAllowedByName() throws IOException {
        String targets = """
                relays:
                  - {name: a, target: {rabbitmq: {uri: "amqp://app:s3cret@rabbit/shop"%1$s}}}
                  - {name: b, target: {nats: {url: "nats://app:s3cret@nats"%1$s}}}
                  - name: c
                    target: {kafka: {bootstrap-servers: "k:9092"%1$s, properties: {security.protocol: SASL_PLAINTEXT}}}
                """;

        assertThatThrownBy(() -> read(targets.formatted("")))
                .hasMessageContaining(
                        "the login for amqp://app@rabbit:5672/shop would go to rabbit unencrypted: write amqps://; or allow")
                .hasMessageContaining(
                        "the login for nats://app@nats:4222 would go to nats unencrypted: write tls://; or allow")
                .hasMessageContaining(
                        "the login for Kafka at k:9092 would go to k unencrypted: give security.protocol=SASL_SSL; or allow")
                .hasMessageNotContaining("s3cret");
        assertThat(read(targets.formatted(", allow-unencrypted-login: true")).relays())
                .hasSize(3);
    }

    @Test
    void everyTargetButStandardOutputCanSendCloudEvents() throws IOException {
        assertThat(read("""
                        relays:
                          - {name: a, target: {webhook: {url: "https://example.com/hook", cloud-events: /shop}}}
                          - {name: b, target: {kafka: {bootstrap-servers: "k:9092", cloud-events: /shop}}}
                          - {name: c, target: {kafka: {bootstrap-servers: "k:9092", mode: at-least-once, cloud-events: /shop}}}
                          - {name: d, target: {rabbitmq: {uri: "amqp://rabbit", cloud-events: /shop}}}
                          - {name: e, target: {nats: {url: "nats://nats", cloud-events: "urn:shop"}}}
                        """).relays()).hasSize(5);
    }

    @Test
    void everyTargetSaysWhereItSendsToAndNoSecret() throws IOException {
        BatonYaml yaml = read("""
                relays:
                  - {name: a, target: {webhook: {url: "https://example.com/hook?t=s3cret", secret: "${SIGNING}", headers: {A: s3cret}}}}
                  - {name: b, target: {kafka: {bootstrap-servers: "k:9092", properties: {sasl.jaas.config: 'a.B required password="s3cret";'}}}}
                  - {name: c, target: {kafka: {bootstrap-servers: "k:9092", mode: at-least-once, topic: all, timeout: 5s}}}
                  - {name: d, target: {rabbitmq: {uri: "amqps://app:s3cret@rabbit/shop", exchange: orders, mandatory: false}}}
                  - {name: e, target: {nats: {url: "tls://app:s3cret@nats", subject: "orders.{key}"}}}
                  - {name: f, target: {stdout: }}
                """);

        assertThat(yaml.relays())
                .extracting(relay -> relay.target().toString())
                .containsExactly(
                        "webhook https://example.com/hook",
                        "Kafka at k:9092",
                        "Kafka at k:9092, topic all",
                        "amqps://app@rabbit:5671/shop, exchange orders, routing key {topic}",
                        "tls://app@nats:4222, subject orders.{key}",
                        "standard output");
    }
}
