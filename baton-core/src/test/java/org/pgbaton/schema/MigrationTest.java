package org.pgbaton.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pgbaton.database.SchemaName;

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
                    .filter(file -> !file.equals("roles.sql") && !file.endsWith(".class"))
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
                .allSatisfy(step -> assertThat(withoutComments(step.sql()))
                        .contains("${schema}.")
                        .doesNotContainPattern("(?i)(?<!')\\bbaton\"?\\."));
    }

    @Test
    void aStepIsReadyToRunForAnySchema() {
        assertThat(Migration.all())
                .allSatisfy(step ->
                        assertThat(step.sqlFor(SHOP)).contains("\"Shop\".").doesNotContain("${"));
    }

    @Test
    void theScriptContainsEveryStepInOrderAndRecordsIt() {
        String script = Schema.script(SHOP);

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
    void theRolesScriptIsReadyToRun() {
        assertThat(Schema.roles(SHOP))
                .doesNotContain("${")
                .contains("ALTER SCHEMA \"Shop\" OWNER TO \"Shop_owner\";")
                .contains("GRANT USAGE ON SCHEMA \"Shop\" TO \"Shop_append\"")
                .contains("'Shop_append'");
    }

    private static String withoutComments(String sql) {
        return sql.replaceAll("(?m)--.*$", "");
    }
}
