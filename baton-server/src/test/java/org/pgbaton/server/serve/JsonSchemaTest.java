package org.pgbaton.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.server.config.ConfigurationException;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The JSON Schema, the documentation and what {@code serve} understands are about the same keys. */
class JsonSchemaTest {
    private static final Path DOCS = Path.of("..", "docs");

    private static final JsonNode SCHEMA = JsonMapper.shared().valueToTree(BatonYaml.jsonSchema());

    @TempDir
    private Path folder;

    @Test
    void theFileInTheDocumentationIsWhatTheCommandPrints() throws IOException {
        assertThat(JsonMapper.shared().readTree(Files.readString(DOCS.resolve("baton.schema.json"))))
                .as("docs/baton.schema.json; write it anew with 'baton serve --print-json-schema'")
                .isEqualTo(SCHEMA);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "relays: [{name: a, target: {stdout: }}]",
                "relays: [{name: a, target: {stdout: {}}}]\nhttp:\ndatabase:",
                "relays: [{name: 7, workers: '${N:3}', from: 12, target: {webhook: {url: 'https://example.com'}}}]",
                "relays: [{name: a, handler-limit: 30s, backoff: {longest: 1m}, target: {webhook: {url: '${U:https://example.com}'}}}]",
                "relays: [{name: a, target: {kafka: {bootstrap-servers: 'b:9092', mode: at-least-once, properties: {linger.ms: 5}}}}]",
                "relays: [{name: a, target: {rabbitmq: {uri: 'amqp://r', mandatory: false}}}]",
                "captures: [{name: alerts, tables: [public.alert], operations: [insert], key: [k]}]",
                "captures: [{name: a, tables: [{name: public.b, columns: [x], where: 'x > 1', key: [x]}], channels: [c], snapshot: true}]\n"
                        + "channels: [{name: c, slack: {url: 'https://hooks.slack.com/x'}, digest: 5m, rate-limit: 10/m, start: origin}]",
                "channels: [{name: c, source: alerts, mail: {host: h, from: a@b.c, to: [d@e.f]}, template: {subject: s, text: t, html: h}}]",
                "channels: [{name: c, source: alerts, stdout: , template: '{{row.a}}', when: [{columns: {a: 1, b: {'>': 2, is: not null}, "
                        + "c: {in: [1, x]}, d: {is: null}}, changed: [a]}]}]",
                "database: {url: 'postgres://db/x', password: 12345}\nrelays: [{name: a, target: {nats: {url: 'nats://n'}}}]",
            })
    void whatIsRightIsRightForBoth(String yaml) throws IOException {
        BatonYaml.read(Files.writeString(folder.resolve("baton.yaml"), yaml), Map.of());

        assertThat(schema().validate(json(yaml))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "relays: {}",
                "relays: [{name: a}]",
                "relays: [{target: {stdout: }}]",
                "relays: [{name: a, target: {}}]",
                "relays: [{name: a, target: {stdout: , nats: {url: 'nats://n'}}}]",
                "relays: [{name: a, target: {webhok: {url: 'https://example.com'}}}]",
                "relays: [{name: a, target: {webhook: {uurl: 'https://example.com'}}}]",
                "relays: [{name: a, target: {webhook: {url: 'https://example.com', timeout: 5}}}]",
                "relays: [{name: a, target: {rabbitmq: {exchange: x}}}]",
                "relays: [{name: a, workers: 0, target: {stdout: }}]",
                "relays: [{name: a, workers: many, target: {stdout: }}]",
                "relays: [{name: a, order: keys, target: {stdout: }}]",
                "relays: [{name: a, from: yesterday, target: {stdout: }}]",
                "relays: [{name: a, types: Booked, target: {stdout: }}]",
                "relays: [{name: a, target: {stdout: }}]\nhttp: {port: 65536}",
                "relays: [{name: a, target: {stdout: }}]\ncolour: red",
                "captures: [{tables: [public.alert]}]",
                "captures: [{name: Alerts, tables: [public.alert]}]",
                "captures: [{name: a, tables: []}]",
                "captures: [{name: a, tables: [public.alert], operations: [upsert]}]",
                "channels: [{name: c, source: a, slak: {url: 'https://hooks.slack.com/x'}}]",
                "channels: [{name: c, source: a, stdout: , digest: 5}]",
                "channels: [{name: c, source: a, stdout: , rate-limit: 5}]",
                "channels: [{name: c, source: a, stdout: , when: [{columns: {a: {'=>': 1}}}]}]",
                "channels: [{name: c, source: a, stdout: , when: [{columns: {a: {is: empty}}}]}]",
            })
    void whatIsWrongIsWrongForBoth(String yaml) throws IOException {
        Path file = Files.writeString(folder.resolve("baton.yaml"), yaml);

        assertThatThrownBy(() -> BatonYaml.read(file, Map.of())).isInstanceOf(ConfigurationException.class);
        assertThat(schema().validate(json(yaml))).isNotEmpty();
    }

    private static Schema schema() {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(SCHEMA);
    }

    private static JsonNode json(String yaml) {
        return JsonMapper.shared().valueToTree(new Load(LoadSettings.builder().build()).loadFromString(yaml));
    }

    @Test
    void everyKeyIsDocumentedWithItsDefaultAndNoOtherKeyIs() throws IOException {
        Set<String> documented = new TreeSet<>();
        Matcher row = Pattern.compile("(?m)^\\| `([a-z-]+|[=!<>]+)` \\|([^|]*)\\|")
                .matcher(Files.readString(DOCS.resolve("configuration.md")));
        while (row.find()) {
            documented.add((row.group(1) + " " + row.group(2).replace("`", "").strip()).strip());
        }
        Set<String> known = new TreeSet<>();
        collect(SCHEMA, known);

        assertThat(documented).containsExactlyElementsOf(known);
    }

    @Test
    void theExamplesOfTheDocumentationAreRight() throws IOException {
        Files.writeString(folder.resolve("db-password"), "x");
        Files.writeString(folder.resolve("rabbit-uri"), "amqp://rabbit");
        String secret = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0";
        Map<String, String> environment =
                Map.of("KAFKA_JAAS", "a.B required;", "ACME_NEW", secret, "ACME_OLD", secret, "ACME_TOKEN", "x");
        int relays = 0;
        Matcher example =
                Pattern.compile("(?ms)^```yaml\n(.*?)^```").matcher(Files.readString(DOCS.resolve("configuration.md")));
        while (example.find()) {
            if (example.group(1).contains("relays:")) {
                String yaml = example.group(1).replace("/run/secrets", folder.toString());
                Path file = Files.writeString(folder.resolve("baton.yaml"), yaml);
                relays += BatonYaml.read(file, environment).relays().size();
                assertThat(schema().validate(json(yaml))).isEmpty();
            }
        }
        assertThat(relays).isEqualTo(6);
    }

    private static void collect(JsonNode node, String below, Set<String> known) {
        if (node.path(below).isObject()) {
            collect(node.get(below), known);
        }
    }

    /** Each key with its default, or whether it is required; files of secrets are described once for all. */
    private static void collect(JsonNode node, Set<String> known) {
        Set<String> required = new TreeSet<>();
        node.path("required").valueStream().map(JsonNode::asString).forEach(required::add);
        node.path("allOf")
                .valueStream()
                .map(either -> either.at("/oneOf/0/required/0").asString())
                .forEach(required::add);
        node.path("properties").propertyStream().forEach(property -> {
            JsonNode value = property.getValue();
            if (!value.path("description").asString("").startsWith("A file that has '")) {
                String standard = required.contains(property.getKey())
                        ? "required"
                        : value.path("default").asString("");
                known.add((property.getKey() + " " + standard).strip());
            }
            collect(value, known);
        });
        // Lists, mappings by any name, and what can be written in two ways.
        collect(node, "items", known);
        collect(node, "additionalProperties", known);
        node.path("anyOf").valueStream().forEach(each -> collect(each, known));
    }
}
