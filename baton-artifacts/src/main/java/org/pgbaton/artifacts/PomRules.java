package org.pgbaton.artifacts;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.w3c.dom.Element;

/**
 * What a POM needs to be taken by Maven Central and to work for whoever depends on it. It says who made it and under which
 * licence; it names no other repository and no file of somebody's machine; every dependency has a version that can be had.
 */
final class PomRules {
    private static final List<String> DEMANDED = List.of(
            "name",
            "description",
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "scm/connection",
            "scm/developerConnection",
            "scm/url");

    private final Repository repository;

    PomRules(Repository repository) {
        this.repository = repository;
    }

    List<String> problems(Pom pom) {
        List<String> problems = new ArrayList<>();
        String artifact = pom.artifactId();
        for (String path : DEMANDED) {
            if (repository.inherited(pom, path).isEmpty()) {
                problems.add(artifact + ": the POM has no " + path);
            }
        }
        // A description that is the parent's would describe something else.
        for (String path : List.of("name", "description")) {
            if (pom.text(path).isEmpty()) {
                problems.add(artifact + ": the POM has no " + path + " of its own");
            }
        }
        if (pom.parent().isPresent() && repository.parent(pom).isEmpty()) {
            problems.add(artifact + ": its parent " + pom.parent().get() + " is not published");
        }
        for (String name : List.of("repository", "pluginRepository")) {
            if (pom.anywhere(name).stream().anyMatch(each -> !isDistribution(each))) {
                problems.add(artifact + ": the POM names a " + name);
            }
        }
        for (Element dependency : pom.anywhere("dependency")) {
            problemsOf(pom, dependency, problems);
        }
        for (String name : List.of("parent", "plugin", "extension")) {
            for (Element each : pom.anywhere(name)) {
                Pom.child(each, "version")
                        .map(version -> repository.resolved(pom, version))
                        .filter(version -> isOthersSnapshot(pom, version))
                        .ifPresent(version -> problems.add(artifact + ": the " + name + " "
                                + Pom.child(each, "artifactId").orElse("?") + " is a snapshot, " + version));
            }
        }
        return problems;
    }

    /** A BOM names every published artifact that is not a POM, and nothing else. */
    List<String> problemsOfBom(Pom bom) {
        Set<String> named = new TreeSet<>();
        for (Element dependency : bom.elements("dependencyManagement/dependencies/dependency")) {
            named.add(Pom.child(dependency, "artifactId").orElse("?"));
        }
        List<String> problems = new ArrayList<>();
        for (Pom pom : repository.poms().values()) {
            if (!pom.packaging().equals("pom") && !named.remove(pom.artifactId())) {
                problems.add(
                        bom.artifactId() + ": " + pom.artifactId() + " is published, and the BOM does not name it");
            }
        }
        for (String left : named) {
            problems.add(bom.artifactId() + ": the BOM names " + left + ", which is not published");
        }
        return problems;
    }

    private void problemsOf(Pom pom, Element dependency, List<String> problems) {
        String name = Pom.child(dependency, "artifactId").orElse("?");
        String group = Pom.child(dependency, "groupId")
                .map(text -> repository.resolved(pom, text))
                .orElse("?");
        String scope = Pom.child(dependency, "scope").orElse("compile");
        String about = pom.artifactId() + ": the dependency " + group + ":" + name;
        if (scope.equals("system") || Pom.child(dependency, "systemPath").isPresent()) {
            problems.add(about + " is a file of the machine that builds");
        }
        if (repository.resolved(pom, name).contains("${")) {
            problems.add(about + " has a placeholder that is nowhere resolved");
        }
        String version = Pom.child(dependency, "version")
                .map(text -> repository.resolved(pom, text))
                .orElse("managed");
        if (version.contains("${")) {
            problems.add(about + " has the version " + version + ", which is nowhere resolved");
        }
        if (version.matches("LATEST|RELEASE|[\\[(].*")) {
            problems.add(about + " has no exact version but " + version);
        }
        if (isOthersSnapshot(pom, version)) {
            problems.add(about + " is a snapshot, " + version);
        }
        boolean own = group.equals(pom.groupId());
        if (own && !scope.equals("test") && !repository.poms().containsKey(name)) {
            problems.add(about + " is not published");
        }
    }

    /** Where this project is deployed to is nobody else's concern. */
    private static boolean isDistribution(Element element) {
        return element.getParentNode() instanceof Element parent
                && parent.getTagName().equals("distributionManagement");
    }

    /** A snapshot may depend on what was built with it. All others would still be there when it becomes a release. */
    private static boolean isOthersSnapshot(Pom pom, String version) {
        return version.endsWith("-SNAPSHOT") && !version.equals(pom.version());
    }
}
