package org.pgbaton.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pgbaton.server.command.NamedDatabase;
import org.pgbaton.server.config.ConfigFile;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.server.config.Settings;
import org.pgbaton.server.publisher.Target;

/** A file can name several databases: what runs on which of them, and which mistakes are told. */
class SeveralDatabasesYamlTest {
    private static final String TWO = """
            databases:
              one: {url: postgres://app@a/shop}
              two: {url: postgres://app@b/shop}
            """;
    private static final String RELAY = """
            relays:
              - name: trades
                target: {stdout: }
            """;

    private record Mistake(String name, String yaml, List<String> problems) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Mistake mistake(String name, String yaml, String... problems) {
        return new Mistake(name, yaml, List.of(problems));
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(
                mistake(
                        "both forms",
                        TWO + "database: {url: postgres://app@c/shop}\n" + RELAY,
                        "1: 'database' and 'databases' exclude each other: give one"),
                mistake(
                        "no database at all",
                        "databases: {}\n" + RELAY,
                        "1: 'databases' must be a mapping with at least one entry, not a mapping"),
                mistake(
                        "a list",
                        "databases: [a]\n" + RELAY,
                        "1: 'databases' must be a mapping with at least one entry, not a list"),
                mistake(
                        "a database without URL",
                        "databases:\n  one:\n    schema: x\n" + RELAY,
                        "2: missing key 'url' (or 'url-file') in database 'one'"),
                mistake(
                        "an unknown key",
                        "databases:\n  one:\n    url: postgres://a/b\n    shema: x\n" + RELAY,
                        "4: unknown key 'shema' in database 'one': did you mean 'schema'?"),
                mistake(
                        "a wrong URL",
                        "databases:\n  one: {url: \"mysql://a/b\"}\n" + RELAY,
                        "2: the database URL starts with none of postgres://, postgresql:// and jdbc:postgresql://; write for example "
                                + "postgres://user@localhost:5432/mydb"),
                mistake(
                        "a name that cannot be part of a path",
                        "databases:\n  One/2: {url: postgres://a/b}\n" + RELAY,
                        "2: 'One/2' cannot name a database: give 1 to 40 small letters, digits, hyphens and underscores, "
                                + "beginning with a letter or a digit"),
                mistake(
                        "a database twice",
                        "databases:\n  one: {url: postgres://app@a/shop}\n  two: {url: \"jdbc:postgresql://a:5432/shop?user=x\"}\n"
                                + RELAY,
                        "3: databases 'one' and 'two' are the same database and schema: give it one name"),
                mistake(
                        "a name twice",
                        "databases:\n  one: {url: postgres://a/shop}\n  one: {url: postgres://b/shop}\n" + RELAY,
                        "3: key 'one' in databases is given twice"),
                mistake(
                        "a relay on a database that is not there",
                        TWO + RELAY + "    databases: [one, twoo]\n",
                        "3: nothing would run on database 'two': name it in a relay, a capture or a channel, or leave it out",
                        "7: there is no database 'twoo' for relay 'trades': did you mean 'two'?"),
                mistake(
                        "a relay that names a database twice",
                        TWO + RELAY + "    databases: [one, two, one]\n",
                        "7: database 'one' is named twice by relay 'trades'"),
                mistake(
                        "a database on which nothing runs",
                        TWO + RELAY + "    databases: [one]\n",
                        "3: nothing would run on database 'two': name it in a relay, a capture or a channel, or leave it out"),
                mistake(
                        "a choice where there is none",
                        "database: {url: postgres://a/shop}\n" + RELAY + "    databases: [one]\n",
                        "5: 'databases' in relay 'trades' makes sense only in a file with several: describe them under "
                                + "'databases'"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsToldWithItsLine(Mistake mistake) {
        String expected = Stream.concat(
                        mistake.problems.stream().map(problem -> "baton.yaml:" + problem),
                        Stream.of(
                                mistake.problems.size() == 1
                                        ? "baton: baton.yaml has 1 problem."
                                        : "baton: baton.yaml has " + mistake.problems.size() + " problems."))
                .collect(Collectors.joining("\n"));
        assertThatThrownBy(() -> parse(mistake.yaml))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage(expected);
    }

    @Test
    void everythingRunsOnEachDatabaseUnlessItNamesSome() {
        BatonYaml yaml = parse("""
                databases:
                  one: {url: postgres://app@a/shop}
                  two: {url: postgres://app@b/shop, direct-url: postgres://app@c/shop, schema: other}
                relays:
                  - {name: all, target: {stdout: }}
                  - {name: some, databases: [two], target: {stdout: }}
                captures:
                  - {name: stock, databases: [one], tables: [stock], channels: [people]}
                channels:
                  - {name: people, webhook: {url: "https://example.com/x"}}
                """);

        assertThat(yaml.databases().stream().map(NamedDatabase::name)).containsExactly("one", "two");
        NamedDatabase one = yaml.databases().get(0);
        NamedDatabase two = yaml.databases().get(1);
        assertThat(one.schema() + " " + two.schema() + " " + two.direct())
                .isEqualTo("baton other postgres://app@c:5432/shop");
        assertThat(yaml.on(one).subscriptions()).containsExactly("all", "stock-people");
        assertThat(yaml.on(two).subscriptions()).containsExactly("all", "some");
        assertThat(yaml.on(two).captures()).isEmpty();
        assertThat(yaml.on(two).samePartOf(yaml).subscriptions()).containsExactly("all", "some");
    }

    @Test
    void aChangedDatabaseNeedsARestart() {
        BatonYaml before = parse(TWO + RELAY);

        assertThat(parse(TWO + RELAY).restartNeededFor(before)).isEmpty();
        assertThat(parse(TWO.replace("@b/", "@d/") + RELAY).restartNeededFor(before))
                .containsExactly("databases");
        assertThat(parse(RELAY).restartNeededFor(before)).containsExactly("databases");
    }

    @Test
    void theKafkaNamesOfTwoDatabasesDiffer() {
        BatonYaml yaml = parse(TWO + """
                relays:
                  - {name: trades, target: {kafka: {bootstrap-servers: "k:9092"}}}
                """);

        for (NamedDatabase each : yaml.databases()) {
            assertThat(yaml.on(each).relays().get(0).target().database()).isEqualTo(each.name());
        }
        assertThat(yaml.relays().get(0).target().database()).isEmpty();
        // A name that the publisher refuses shows that it gets the name.
        Settings kafka = ConfigFile.parse(
                "kafka: {bootstrap-servers: \"k:9092\"}", Path.of("baton.yaml"), Target.SECTION, Map.of());
        assertThatThrownBy(() -> Target.of(kafka, "a.b").open()).hasMessageContaining("cannot name a database");
    }

    @Test
    void oneDatabaseIsReadAsBefore() {
        BatonYaml yaml = parse("database: {url: postgres://app@a/shop}\n" + RELAY);

        assertThat(yaml.databases()).isEmpty();
        assertThat(yaml.database()).hasToString("postgres://app@a:5432/shop");
    }

    private static BatonYaml parse(String... parts) {
        return BatonYaml.parse(Arrays.stream(parts).collect(Collectors.joining()), Path.of("baton.yaml"), Map.of());
    }
}
