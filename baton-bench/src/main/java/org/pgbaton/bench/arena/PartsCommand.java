package org.pgbaton.bench.arena;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A command that measures {@link Part}s, of which all or some can be chosen. Each part has a section of its own in
 * docs/benchmarks.md, and replaces only that. A section for the whole command comes before them.
 */
public abstract class PartsCommand implements Callable<Integer> {
    private static final String ALL = "all";

    @Parameters(paramLabel = "PART", arity = "0..*", description = "What to measure (default: all).")
    private List<String> wanted = new ArrayList<>();

    @Option(names = "--parts", paramLabel = "PART", split = ",", description = "The same, with commas between.")
    private List<String> alsoWanted = new ArrayList<>();

    @Option(names = "--rounds", defaultValue = "3", description = "Rounds of every comparison (default: 3).")
    private int rounds;

    @Option(names = "--quick", description = "Small sizes, a few minutes; writes nothing down.")
    private boolean quick;

    @Option(names = "--json", description = "Print the results as JSON.")
    private boolean json;

    @Option(names = "--no-write", description = "Print the result without writing docs/benchmarks.md.")
    private boolean noWrite;

    @Spec
    private @Nullable CommandSpec spec;

    protected final boolean isQuick() {
        return quick;
    }

    /** Makes the exception for an option that makes no sense. */
    protected final ParameterException wrong(String sentence) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), sentence);
    }

    /** The name of the command, with which the names of its sections begin. */
    protected abstract String family();

    /**
     * All of them, in the order of the report.
     *
     * @param home the checkout
     */
    protected abstract List<Part> parts(Path home);

    /** Parts that are measured only if they are named, and not written to the page. */
    protected List<Part> extraParts() {
        return List.of();
    }

    protected abstract Arena arena(boolean small, int times) throws Exception;

    /** The heading of the command's section, and what all its parts have in common. */
    protected abstract String introduction(Arena arena) throws Exception;

    /** Whether the findings go to docs/benchmarks.md. */
    protected boolean isWrittenDown() {
        return !noWrite && !quick;
    }

    @Override
    public Integer call() throws Exception {
        wanted.addAll(alsoWanted);
        Path home = Path.of(System.getProperty("baton.home", "."));
        if (rounds < 1 || rounds > 100) {
            throw wrong("--rounds " + rounds + " makes no sense: give 1 to 100 (default 3).");
        }
        List<Part> all = parts(home);
        List<Part> choice = new ArrayList<>(all);
        choice.addAll(extraParts());
        for (String name : wanted) {
            if (!name.equals(ALL)
                    && choice.stream().noneMatch(part -> part.name().equals(name))) {
                throw wrong("There is no part '" + name + "': say "
                        + String.join(", ", choice.stream().map(Part::name).toList()) + " or all.");
            }
        }
        boolean everything = wanted.isEmpty() || wanted.contains(ALL);
        List<Part> chosen = choice.stream()
                .filter(part -> (everything && all.contains(part)) || wanted.contains(part.name()))
                .toList();
        List<Finding> findings = new ArrayList<>();
        String introduction;
        try (Arena arena = arena(quick, quick ? Math.min(rounds, 2) : rounds)) {
            introduction = introduction(arena);
            for (Part part : chosen) {
                findings.add(measured(arena, part));
            }
        }
        print(introduction, findings);
        if (isWrittenDown()) {
            write(home.resolve("docs/benchmarks.md"), introduction, findings, all);
        }
        return findings.stream().allMatch(Finding::isGood) ? 0 : 1;
    }

    private static Finding measured(Arena arena, Part part) throws InterruptedException {
        Finding finding = new Finding(part.name(), part.title());
        arena.enter(part.name());
        try {
            part.measure(arena, finding);
        } catch (InterruptedException end) {
            throw end;
        } catch (Exception failed) {
            finding.failed("the whole part", failed);
            arena.progress("FAILED: " + Shown.oneLine(failed));
        } finally {
            arena.leave();
        }
        return finding;
    }

    private void print(String introduction, List<Finding> findings) {
        if (json) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put(
                    "machine", introduction.replaceFirst("(?s)^##[^\n]*\n+", "").strip());
            result.put("quick", quick);
            result.put("parts", findings.stream().map(Finding::json).toList());
            System.out.println(JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .build()
                    .writeValueAsString(result));
        } else {
            System.out.println(introduction);
            findings.forEach(finding -> System.out.println(finding.markdown()));
        }
    }

    private void write(Path file, String introduction, List<Finding> findings, List<Part> all) throws Exception {
        List<String> order = new ArrayList<>(List.of(family()));
        all.forEach(part -> order.add(family() + " " + part.name()));
        Section.of(family(), family(), order).write(file, introduction);
        for (Finding finding : findings) {
            String name = family() + " " + finding.name();
            if (order.contains(name)) {
                Section.of(name, name, order).write(file, finding.markdown());
            }
        }
    }
}
