package org.pgbaton.chaos;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;

/** The shape of the campaign: who may import whom. */
@AnalyzeClasses(packages = "org.pgbaton.chaos", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ROOT = "org.pgbaton.chaos";

    @ArchTest
    static final ArchRule packagesDoNotImportEachOtherInACircle =
            slices().matching("org.pgbaton.chaos.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule nobodyImportsTheRoot = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT);

    @ArchTest
    static final ArchRule theProcessesDoNotKnowThatTheyAreTested = imports("worker");

    @ArchTest
    static final ArchRule devicesDoNotKnowWhoUsesThem = imports("device");

    @ArchTest
    static final ArchRule theReportDoesNotKnowWhoPlayed = imports("report");

    @ArchTest
    static final ArchRule theHistoryJudgesNobody = imports("history", "targets", "worker");

    /** So the verdict rests on the history alone. */
    @ArchTest
    static final ArchRule theVerdictSeesNoWorld = imports("verdict", "history", "report", "targets", "worker");

    @ArchTest
    static final ArchRule theWorldDoesNotKnowWhatStrikesIt = imports("world", "device", "history", "targets", "worker");

    @ArchTest
    static final ArchRule trafficDoesNotKnowWhatStrikesIt =
            imports("traffic", "world", "device", "history", "targets", "worker");

    @ArchTest
    static final ArchRule faultsDoNotJudge =
            imports("fault", "traffic", "world", "device", "history", "targets", "worker");

    @ArchTest
    static final ArchRule loadKnowsNoFault =
            imports("load", "traffic", "world", "device", "history", "targets", "worker");

    /** Of the campaign's packages only these, and itself. */
    private static ArchRule imports(String importing, String... others) {
        String[] allowed = Arrays.stream(others).map(each -> ROOT + "." + each).toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(ROOT + "." + importing)
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + "..")
                        .and(not(resideInAPackage(ROOT + "." + importing)))
                        .and(not(resideInAnyPackage(allowed))));
    }
}
