package org.pgbaton.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The shape of the server: who may import whom, and how large a package may be. */
@AnalyzeClasses(packages = "org.pgbaton.server", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    private static final int MOST_FILES = 30;
    private static final int MOST_LINES = 2500;

    private static final String ROOT = "org.pgbaton.server";
    private static final String SERVER = "org.pgbaton.server..";
    private static final String COMMAND = "org.pgbaton.server.command";
    private static final String CONFIG = "org.pgbaton.server.config";
    private static final String PUBLISHER = "org.pgbaton.server.publisher";
    private static final String NOTICE = "org.pgbaton.server.notice";

    @ArchTest
    static final ArchRule packagesDoNotImportEachOtherInACircle =
            slices().matching("org.pgbaton.server.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule nobodyImportsTheRoot = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT);

    @ArchTest
    static final ArchRule whatCommandsHaveInCommonKnowsNoCommand = imports(COMMAND, COMMAND);

    @ArchTest
    static final ArchRule theReaderOfFilesDoesNotKnowWhatKeysMean = imports(CONFIG, CONFIG, COMMAND);

    @ArchTest
    static final ArchRule targetsDoNotKnowWhoServesThem = imports(PUBLISHER, PUBLISHER, CONFIG, COMMAND);

    @ArchTest
    static final ArchRule noticesDoNotKnowWhoServesThem = imports(NOTICE, NOTICE, PUBLISHER, CONFIG, COMMAND);

    @ArchTest
    static final ArchRule noClassIsNamedAfterNothing =
            noClasses().should().haveNameMatching(".*(Impl|Utils?|Helper|Manager)");

    /** Of the server's packages only these. */
    private static ArchRule imports(String importing, String... allowed) {
        return noClasses()
                .that()
                .resideInAPackage(importing)
                .should()
                .dependOnClassesThat(resideInAPackage(SERVER).and(not(resideInAnyPackage(allowed))));
    }

    @Test
    void noPackageIsTooLarge() throws IOException {
        Map<Path, List<Path>> packages;
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            packages = files.filter(file -> file.toString().endsWith(".java"))
                    .collect(Collectors.groupingBy(Path::getParent));
        }
        assertThat(packages).hasSizeGreaterThan(10);
        for (Map.Entry<Path, List<Path>> each : packages.entrySet()) {
            assertThat(each.getValue()).as("files of %s", each.getKey()).hasSizeLessThanOrEqualTo(MOST_FILES);
            assertThat(lines(each.getValue())).as("lines of %s", each.getKey()).isLessThanOrEqualTo(MOST_LINES);
        }
    }

    private static long lines(List<Path> files) throws IOException {
        long lines = 0;
        for (Path file : files) {
            lines += Files.readAllLines(file).size();
        }
        return lines;
    }
}
