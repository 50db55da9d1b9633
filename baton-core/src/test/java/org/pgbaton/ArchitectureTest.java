package org.pgbaton;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pgbaton.database.BatonException;
import org.postgresql.replication.LogSequenceNumber;

/** The shape that docs/architecture.md draws. */
@AnalyzeClasses(packages = "org.pgbaton", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String FRONT_DOOR = "org.pgbaton";
    private static final String DATABASE = "org.pgbaton.database..";
    private static final String PGOUTPUT = "org.pgbaton.pgoutput";
    private static final String JSON = "org.pgbaton.json";

    /** The packages that a user imports. */
    private static final String[] API = {
        "org.pgbaton.typed",
        "org.pgbaton.subscription",
        "org.pgbaton.leadership",
        "org.pgbaton.capture",
        "org.pgbaton.outbox",
        "org.pgbaton.inbox",
        "org.pgbaton.log",
        "org.pgbaton.schema",
        "org.pgbaton.shard",
        DATABASE
    };

    /** A package as large as that has a second idea in it. */
    private static final int MOST_FILES = 30;

    private static final int MOST_LINES = 2_500;

    @Test
    void everyPackageIsAWordOfTheGlossary() throws IOException {
        String glossary = Files.readString(Path.of("../docs/glossary.md"));

        assertThat(packages().keySet())
                .filteredOn(name -> !name.isEmpty())
                .allSatisfy(name -> assertThat(glossary)
                        .containsPattern("(?m)^\\*\\*" + name.substring(name.lastIndexOf('/') + 1) + "\\*\\*"));
    }

    @Test
    void noPackageIsOverfull() throws IOException {
        assertThat(packages().entrySet()).allSatisfy(entry -> {
            assertThat(entry.getValue()).as(entry.getKey()).hasSizeLessThanOrEqualTo(MOST_FILES);
            long lines = 0;
            for (Path file : entry.getValue()) {
                lines += Files.readAllLines(file).size();
            }
            assertThat(lines).as("lines of " + entry.getKey()).isLessThanOrEqualTo(MOST_LINES);
        });
    }

    /** Their files, by the path below the front door's package. */
    private static Map<String, List<Path>> packages() throws IOException {
        Path root = Path.of("src/main/java/org/pgbaton");
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .collect(Collectors.groupingBy(
                            file -> root.relativize(file.getParent()).toString()));
        }
    }

    /** Each package for itself, also one inside another. */
    @ArchTest
    static final ArchRule packagesDoNotImportEachOtherInACircle =
            slices().matching("org.pgbaton.(**)").should().beFreeOfCycles();

    /** The table of docs/architecture.md, from top to bottom. */
    @ArchTest
    static void eachPackageImportsOnlyThoseBelowItInTheTable(JavaClasses classes) throws IOException {
        List<String> table = Pattern.compile("(?m)^\\| `(org\\.pgbaton(?!\\.server)[a-z.]*)`")
                .matcher(Files.readString(Path.of("../docs/architecture.md")))
                .results()
                .map(row -> row.group(1))
                .toList();
        Set<String> upwards = new TreeSet<>();
        for (JavaClass each : classes) {
            int at = table.indexOf(each.getPackageName());
            assertThat(at).as(each.getPackageName() + " in the table").isNotNegative();
            each.getDirectDependenciesFromSelf().stream()
                    .map(to -> to.getTargetClass().getBaseComponentType().getPackageName())
                    .filter(to -> to.startsWith("org.pgbaton") && table.indexOf(to) < at)
                    .forEach(to -> upwards.add(each.getName() + " imports " + to));
        }
        assertThat(upwards).isEmpty();
    }

    /** But for the check of texts, which itself knows nobody. */
    @ArchTest
    static final ArchRule theApiKnowsNothingOfTheInside = noClasses()
            .that()
            .resideInAnyPackage(API)
            .should()
            .dependOnClassesThat(resideInAPackage("org.pgbaton..")
                    .and(not(resideInAnyPackage(API)))
                    .and(not(resideInAPackage(JSON))));

    /** The compiler says the same of every module: {@code -Xlint:exports}. This one is quicker to read. */
    @ArchTest
    static void noSignatureOfTheApiMentionsTheInside(JavaClasses classes) {
        Set<String> exported = Stream.concat(Stream.of(FRONT_DOOR), Stream.of(API))
                .map(name -> name.replace("..", ""))
                .collect(Collectors.toSet());
        Set<String> mentions = new TreeSet<>();
        for (JavaClass each : classes) {
            if (isVisible(each) && exported.contains(each.getPackageName())) {
                each.getCodeUnits().stream()
                        .filter(member -> isVisible(member))
                        .forEach(member -> member.getAllInvolvedRawTypes().stream()
                                .filter(type -> type.getPackageName().startsWith(FRONT_DOOR)
                                        && !(isVisible(type) && exported.contains(type.getPackageName())))
                                .forEach(type -> mentions.add(member.getFullName() + ": " + type.getName())));
            }
        }
        assertThat(mentions).isEmpty();
    }

    private static boolean isVisible(HasModifiers member) {
        return member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
    }

    @ArchTest
    static final ArchRule nobodyImportsTheFrontDoor = noClasses()
            .that()
            .resideOutsideOfPackage(FRONT_DOOR)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(FRONT_DOOR);

    @ArchTest
    static final ArchRule theDatabasePackageImportsNoOtherOfBatons = noClasses()
            .that()
            .resideInAPackage(DATABASE)
            .should()
            .dependOnClassesThat(resideInAPackage("org.pgbaton..").and(not(resideInAPackage(DATABASE))));

    @ArchTest
    static final ArchRule theDecoderKnowsNoConnectionNoLogAndNoApi = classes()
            .that()
            .resideInAPackage(PGOUTPUT)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(PGOUTPUT, DATABASE, "java..", "org.jspecify..")
                    .and(not(resideInAPackage("java.sql..")))
                    .or(equivalentTo(LogSequenceNumber.class)));

    @ArchTest
    static final ArchRule theCoreNeedsTheDriverSlf4jAndJSpecifyAndNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "org.pgbaton..",
                    "java..",
                    "javax.sql..",
                    "org.postgresql..",
                    "org.slf4j..",
                    "org.jspecify..",
                    "com.google.errorprone.annotations..");

    @ArchTest
    static final ArchRule noClassIsNamedAfterNothing =
            noClasses().should().haveNameMatching(".*(Impl|Utils?|Helper|Manager)");

    @ArchTest
    static final ArchRule everyExceptionIsABatonException =
            classes().that().areAssignableTo(Throwable.class).should().beAssignableTo(BatonException.class);

    /** The database's clock gives the time of day, the monotonic one durations. By the time in an id nothing is decided. */
    @ArchTest
    static final ArchRule nobodyAsksTheWallClockOfTheJvm = noClasses()
            .that()
            .doNotHaveFullyQualifiedName("org.pgbaton.log.UuidV7")
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(OffsetDateTime.class, "now")
            .orShould()
            .callMethod(ZonedDateTime.class, "now")
            .orShould()
            .callMethod(LocalDateTime.class, "now")
            .orShould()
            .dependOnClassesThat(assignableTo(Clock.class).or(assignableTo(Date.class)));

    @ArchTest
    static final ArchRule theLibraryPrintsNothing = GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

    @Test
    void theModuleExportsTheApiAndNotTheSession() throws IOException, URISyntaxException {
        URI classes =
                Baton.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        try (InputStream module = classes.resolve("module-info.class").toURL().openStream()) {
            assertThat(ModuleDescriptor.read(module).exports())
                    .extracting(ModuleDescriptor.Exports::source)
                    .containsExactlyInAnyOrder(
                            "org.pgbaton",
                            "org.pgbaton.capture",
                            "org.pgbaton.database",
                            "org.pgbaton.inbox",
                            "org.pgbaton.leadership",
                            "org.pgbaton.log",
                            "org.pgbaton.outbox",
                            "org.pgbaton.schema",
                            "org.pgbaton.shard",
                            "org.pgbaton.subscription",
                            "org.pgbaton.typed");
        }
    }
}
