package org.pgbaton.artifacts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.w3c.dom.Element;

/** Which modules of a checkout are for users, by what their POMs say, and whether a repository has exactly those. */
final class Modules {
    private final Set<String> published = new TreeSet<>();
    private final Set<String> kept = new TreeSet<>();

    private final String version;

    private Modules(String version) {
        this.version = version;
    }

    static Modules of(Path checkout) throws IOException {
        Pom root = Pom.read(checkout.resolve("pom.xml"));
        Modules modules = new Modules(root.version());
        modules.published.add(root.artifactId());
        for (Element module : root.elements("modules/module")) {
            Pom pom = Pom.read(checkout.resolve(module.getTextContent().strip()).resolve("pom.xml"));
            boolean skip = pom.text("properties/maven.deploy.skip").orElse("").equals("true");
            (skip ? modules.kept : modules.published).add(pom.artifactId());
        }
        return modules;
    }

    String version() {
        return version;
    }

    List<String> problems(Repository repository) {
        List<String> problems = new ArrayList<>();
        for (String name : published) {
            if (!repository.poms().containsKey(name)) {
                problems.add(name + " is a module for users, and was not deployed");
            }
        }
        for (String name : repository.poms().keySet()) {
            if (kept.contains(name)) {
                problems.add(name + " is not for users, and was deployed");
            } else if (!published.contains(name)) {
                problems.add(name + " is no module");
            }
        }
        return problems;
    }
}
