package org.pgbaton.artifacts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks a folder that {@code mvn deploy} has filled, at the version of the checkout: every module for users is there and complete, every POM is as Maven
 * Central demands. With a second folder, that both builds gave the same bytes. Exit code 0 if so, 1 with one line for each
 * problem, 64 if called wrongly.
 */
public final class CheckFolder {
    private static final String USAGE = "usage: CheckFolder CHECKOUT FOLDER [--signed] [--same-as OTHER]";

    private CheckFolder() {}

    public static void main(String... arguments) {
        System.exit(run(List.of(arguments)));
    }

    static int run(List<String> arguments) {
        List<Path> folders = new ArrayList<>();
        boolean signed = false;
        Path other = null;
        for (int i = 0; i < arguments.size(); i++) {
            switch (arguments.get(i)) {
                case "--signed" -> signed = true;
                case "--same-as" -> other = ++i < arguments.size() ? Path.of(arguments.get(i)) : Path.of("");
                default -> folders.add(Path.of(arguments.get(i)));
            }
        }
        if (folders.size() != 2) {
            System.err.println(USAGE);
            return 64;
        }
        for (Path folder : other == null ? folders : List.of(folders.get(0), folders.get(1), other)) {
            if (!Files.isDirectory(folder)) {
                System.err.println("CheckFolder: there is no folder '" + folder + "'");
                return 64;
            }
        }
        try {
            Modules modules = Modules.of(folders.get(0));
            Repository repository = Repository.read(folders.get(1), modules.version());
            List<String> problems = problems(modules, repository, signed);
            if (other != null) {
                problems.addAll(Comparison.problems(repository, Repository.read(other, modules.version())));
            }
            problems.forEach(problem -> System.err.println("CheckFolder: " + problem));
            System.out.println(repository.poms().size() + " artifacts, "
                    + repository.products().size() + " files: "
                    + (problems.isEmpty() ? "all good" : problems.size() + " problems"));
            return problems.isEmpty() ? 0 : 1;
        } catch (IOException e) {
            System.err.println("CheckFolder: " + e.getMessage());
            return 1;
        }
    }

    static List<String> problems(Modules modules, Repository repository, boolean signed) throws IOException {
        List<String> problems = new ArrayList<>(modules.problems(repository));
        PomRules poms = new PomRules(repository);
        FileRules files = new FileRules(signed);
        for (Pom pom : repository.poms().values()) {
            problems.addAll(poms.problems(pom));
            problems.addAll(files.problems(pom));
            if (pom.artifactId().endsWith("-bom")) {
                problems.addAll(poms.problemsOfBom(pom));
            }
        }
        return problems;
    }
}
