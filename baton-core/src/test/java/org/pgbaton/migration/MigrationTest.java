package org.pgbaton.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pgbaton.database.SchemaName;
import org.pgbaton.schema.Migration;

class MigrationTest {
    private static final SchemaName SHOP = new SchemaName("Shop");

    @Test
    void theNumbersAreConsecutiveFromOne() {
        assertThat(Migration.all())
                .extracting(Migration::number)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, Migration.all().size()).boxed().toList());
    }

    @Test
    void everyFileIsAStepAndEveryStepAFile() throws IOException, URISyntaxException {
        List<String> files;
        try (Stream<Path> folder = Files.list(Path.of(Objects.requireNonNull(Migration.class.getResource("roles.sql"))
                        .toURI())
                .resolveSibling("."))) {
            files = folder.map(file -> file.getFileName().toString())
                    .filter(file -> file.matches("[0-9].*"))
                    .sorted()
                    .toList();
        }

        assertThat(Migration.all())
                .extracting(step -> String.format("%04d_%s.sql", step.number(), step.name()))
                .containsExactlyElementsOf(files);
    }

    @Test
    void noStepShutsOutTheProgramThatBringsIt() {
        assertThat(Migration.all())
                .allSatisfy(step -> assertThat(step.compatibleFrom()).isBetween(1, step.number()));
    }

    @Test
    void aStepNamesTheSchemaOnlyByItsPlaceholder() {
        assertThat(Migration.all())
                .allSatisfy(step ->
                        assertThat(withoutComments(step.sql())).doesNotContainPattern("(?i)(?<!')\\bbaton\"?\\."));
    }

    @Test
    void aStepIsReadyToRunForAnySchema() {
        assertThat(Migration.all())
                .allSatisfy(step -> assertThat(step.sqlFor(SHOP)).doesNotContain("${"));
    }

    @Test
    void theScriptContainsEveryStepInOrderAndRecordsIt() {
        String script = SchemaScript.all(SHOP);

        // The tool that applies it has a transaction of its own.
        assertThat(withoutComments(script)).doesNotContainPattern("(?m)^(BEGIN|COMMIT);");
        assertThat(script).doesNotContain("${");
        assertThat(script)
                .containsSubsequence(Stream.concat(
                                Stream.of("CREATE SCHEMA \"Shop\";", "CREATE TABLE \"Shop\".migration ("),
                                Migration.all().stream()
                                        .flatMap(step -> Stream.of(
                                                step.sqlFor(SHOP),
                                                "INSERT INTO \"Shop\".migration (number, name, compatible_from) VALUES ("
                                                        + step.number() + ", '" + step.name() + "', "
                                                        + step.compatibleFrom() + ");")))
                        .toList());
    }

    @Test
    void everyFileOfRoutinesIsApplied() throws IOException, URISyntaxException {
        try (Stream<Path> folder = Files.list(Path.of(
                Objects.requireNonNull(Migration.class.getResource("routines")).toURI()))) {
            assertThat(folder.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            Routines.files().stream().map(file -> file + ".sql").toList());
        }
    }

    @Test
    void routinesCanBeAppliedAgainAndNameTheSchemaByItsPlaceholder() {
        assertThat(Routines.files())
                .map(Routines::text)
                .allSatisfy(text -> assertThat(withoutComments(text))
                        .doesNotContainPattern("(?m)^CREATE (?!OR REPLACE )")
                        .doesNotContainPattern("(?i)(?<!')\\bbaton\"?\\."));
        assertThat(Routines.all(SHOP)).doesNotContain("${");
    }

    @Test
    void theFunctionsOfAdoptionCanBeAppliedAgainAndAreAllRemoved() {
        String functions = withoutComments(AdoptionFunctions.functions());
        String removal = AdoptionFunctions.removal(SHOP);

        assertThat(functions)
                .doesNotContainPattern("(?m)^CREATE (?!OR REPLACE FUNCTION )")
                .doesNotContainPattern("(?i)(?<!')\\bbaton\"?\\.");
        assertThat(Pattern.compile("(?m)^CREATE OR REPLACE FUNCTION \\S+?\\.(\\w+)")
                        .matcher(functions)
                        .results())
                .hasSizeGreaterThan(10)
                .allSatisfy(each -> assertThat(removal).contains("'" + each.group(1) + "'"));
        assertThat(List.of(
                        AdoptionFunctions.installation(SHOP),
                        AdoptionFunctions.renewal(SHOP),
                        AdoptionFunctions.removal(SHOP)))
                .allSatisfy(text -> assertThat(text).doesNotContain("${"));
    }

    @Test
    void aSchemaForEverybodyHasNothingOfAdoptionButItsTables() {
        assertThat(Routines.all(SHOP)).doesNotContain("adoption", "adopted");
        assertThat(SchemaScript.all(SHOP)).doesNotContain("begin_adoption");
    }

    @Test
    void aReleaseThatChangesARoutineBringsAStep() throws Exception {
        Properties released = new Properties();
        try (InputStream in = Objects.requireNonNull(Migration.class.getResourceAsStream("released.properties"))) {
            released.load(in);
        }
        String now = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256")
                        .digest((Routines.all(SchemaName.DEFAULT) + AdoptionFunctions.renewal(SchemaName.DEFAULT))
                                .getBytes(StandardCharsets.UTF_8)));
        // For ./release, which keeps it.
        Files.writeString(
                Path.of("target", "released.properties"),
                "step=" + Migration.all().size() + "\nroutines=" + now + "\n");

        if (!now.equals(released.getProperty("routines"))) {
            assertThat(Migration.all().size())
                    .as(
                            "The routines (%s) are not those of the last release: add a step, an empty one if need be.",
                            now)
                    .isGreaterThan(Integer.parseInt(released.getProperty("step")));
        }
    }

    @Test
    void theRolesScriptIsReadyToRun() {
        assertThat(SchemaScript.roles(SHOP))
                .doesNotContain("${")
                .contains("ALTER SCHEMA \"Shop\" OWNER TO \"Shop_owner\";")
                .contains("GRANT USAGE ON SCHEMA \"Shop\" TO \"Shop_append\"")
                .contains("'Shop_append'");
    }

    private static String withoutComments(String sql) {
        return sql.replaceAll("(?m)--.*$", "");
    }
}
