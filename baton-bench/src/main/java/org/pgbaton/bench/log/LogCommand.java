package org.pgbaton.bench.log;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.pgbaton.bench.Machine;
import org.pgbaton.bench.Section;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code baton bench log}: appending, reading, latency, members, takeover and idling of a log, beside limits and peers. Each part
 * has a section of its own in docs/benchmarks.md, and replaces only that.
 */
@Command(
        name = "log",
        mixinStandardHelpOptions = true,
        description = {
            "Appending, draining, projections, latency, long logs, members, takeover, idling, and other event stores.",
            "Parts: append, drain, projection, latency, scale, members, takeover, idle, peers; all of them if none is named.",
            "'trigger' compares forms of the append trigger, and is never among all."
        })
public final class LogCommand implements Callable<Integer> {
    private static final String ALL = "all";

    @Parameters(paramLabel = "PART", arity = "0..*", description = "What to measure (default: all).")
    private List<String> wanted = new ArrayList<>();

    @Option(
            names = "--rounds",
            defaultValue = "3",
            description = "Rounds of every comparison; takeovers are ten times as many (default: 3).")
    private int rounds;

    @Option(names = "--quick", description = "Small sizes, under four minutes; writes nothing down.")
    private boolean quick;

    @Option(names = "--json", description = "Print the results as JSON.")
    private boolean json;

    @Option(names = "--no-write", description = "Print the result without writing docs/benchmarks.md.")
    private boolean noWrite;

    @Override
    public Integer call() throws Exception {
        Path home = Path.of(System.getProperty("baton.home", "."));
        List<Part> all = List.of(
                new AppendPart(),
                new DrainPart(),
                new ProjectionPart(),
                new LatencyPart(),
                new ScalePart(),
                new MembersPart(),
                new TakeoverPart(),
                new IdlePart(),
                new PeersPart(home));
        if (rounds < 1 || rounds > 100) {
            return usage("--rounds " + rounds + " makes no sense: give 1 to 100 (default 3).");
        }
        Part trigger = new TriggerPart();
        for (String name : wanted) {
            if (!name.equals(ALL)
                    && !name.equals(trigger.name())
                    && all.stream().noneMatch(part -> part.name().equals(name))) {
                return usage("There is no part '" + name + "': say "
                        + String.join(", ", all.stream().map(Part::name).toList()) + ", trigger or all.");
            }
        }
        boolean everything = wanted.isEmpty() || wanted.contains(ALL);
        List<Part> parts = new ArrayList<>(all.stream()
                .filter(part -> everything || wanted.contains(part.name()))
                .toList());
        if (wanted.contains(trigger.name())) {
            parts.add(trigger);
        }
        List<Finding> findings = new ArrayList<>();
        String machine;
        try (Arena arena = new Arena(quick, quick ? Math.min(rounds, 2) : rounds)) {
            machine = "Machine: " + Machine.description() + "; " + arena.version() + ", fsync on, shared_buffers "
                    + Arena.sharedBuffers() + ".";
            for (Part part : parts) {
                findings.add(measured(arena, part));
            }
        }
        report(home, machine, findings, all);
        return findings.stream().allMatch(Finding::isGood) ? 0 : 1;
    }

    private static int usage(String sentence) {
        System.err.println("baton: " + sentence);
        return 64;
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

    private void report(Path home, String machine, List<Finding> findings, List<Part> all) throws Exception {
        String intro = "## The log\n\n" + machine
                + " Baton's part runs in JVMs of their own with default flags except 768 MiB of heap and the serial collector, as do the "
                + "peers.\n";
        if (json) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("machine", machine);
            result.put("quick", quick);
            result.put("parts", findings.stream().map(Finding::json).toList());
            System.out.println(JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .build()
                    .writeValueAsString(result));
        } else {
            System.out.println(intro);
            findings.forEach(finding -> System.out.println(finding.markdown()));
        }
        if (noWrite || quick) {
            return;
        }
        Path file = home.resolve("docs/benchmarks.md");
        List<String> order = new ArrayList<>(List.of("log"));
        all.forEach(part -> order.add("log " + part.name()));
        Section.of("log", "log", order).write(file, intro);
        for (Finding finding : findings) {
            if (order.contains("log " + finding.name())) {
                Section.of("log " + finding.name(), "log " + finding.name(), order)
                        .write(file, finding.markdown());
            }
        }
    }
}
