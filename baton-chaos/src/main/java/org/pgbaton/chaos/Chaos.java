package org.pgbaton.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.fault.Attack;
import org.pgbaton.chaos.fault.Fault;
import org.pgbaton.chaos.load.Load;
import org.pgbaton.chaos.round.Round;
import org.pgbaton.chaos.world.Scenario;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code baton chaos}. */
@Command(
        name = "baton chaos",
        mixinStandardHelpOptions = true,
        header = {
            "Breaks things around Baton at random, and checks that its promises hold.",
            "",
            "It starts a PostgreSQL and three processes of its own, writes to a log, strikes in the middle of the traffic, and judges by",
            "what the log, the handlers and the endpoints say. A violation leaves a folder with everything needed to understand it, and the",
            "command that repeats it. Exit code 1 if a promise did not hold.",
            "",
            "Examples:",
            "  baton chaos                                        one round of every pair of scenario and fault",
            "  baton chaos --scenarios projection --faults kill,freeze --rounds 10",
            "  baton chaos --rounds 10 --resume                   goes on until every pair has ten rounds",
            "  baton chaos --for 1h                               everything, until the time is over",
            "  baton chaos --scenarios total --faults stall --rounds 1 --seed 4711",
            "  baton chaos --scenarios kafka --faults kill,freeze --messages 100000",
            "",
        })
public final class Chaos implements Callable<Integer> {
    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Option(
            names = "--scenarios",
            split = ",",
            paramLabel = "<scenario>",
            description = "What Baton is doing; '--scenarios list' lists them (default: all of them).")
    private @Nullable List<String> scenarios;

    @Option(
            names = "--faults",
            split = ",",
            paramLabel = "<fault>",
            description =
                    "What happens to it; '--faults list' lists them (default: all of them). 'freeze+storm' are two at the same time; 'crash-inside@before-commit' strikes at that moment only.")
    private @Nullable List<String> faults;

    @Option(
            names = "--rounds",
            paramLabel = "<n>",
            description =
                    "Rounds of each pair of scenario and fault (default: 1, or with --for as many as there is time for).")
    private int rounds = -1;

    @Option(
            names = "--resume",
            description =
                    "Counts the rounds that the folder of --evidence tells of already, and plays those that are missing.")
    private boolean resume;

    @Option(names = "--for", paramLabel = "<time>", description = "No round begins after that time: 30s, 10m, 1h.")
    private @Nullable String atMost;

    @Option(
            names = "--messages",
            paramLabel = "<n>",
            description =
                    "One round of each scenario until so many messages were written, with strikes of the chosen faults again and again.")
    private long messages;

    @Option(names = "--quick", description = "One fault of each scenario, drawn from the seed.")
    private boolean quick;

    @Option(
            names = "--load",
            paramLabel = "<time>",
            description =
                    "Nothing goes wrong; everything runs at once for that time, and what grows is told (load.html in the folder).")
    private @Nullable String load;

    @Option(
            names = "--seed",
            paramLabel = "<n>",
            description = "Of the whole campaign, or of the one round (default: a new one).")
    private long seed = System.nanoTime() & 0xffff_ffffL;

    @Option(names = "--pg", paramLabel = "<14…18>", description = "The version of PostgreSQL (default: 17).")
    private int postgres = 17;

    @Option(names = "--stop-at-violation", description = "Ends with the first round in which a promise did not hold.")
    private boolean stopAtViolation;

    @Option(
            names = "--evidence",
            paramLabel = "<folder>",
            description =
                    "Where violations leave what is known of them; report.html, report.md and report.json there tell of all rounds (default: target/chaos).")
    private Path evidence = Path.of("target", "chaos");

    @Option(
            names = "--keep",
            paramLabel = "<file>",
            description =
                    "Also adds all rounds of the folder, in short form, to this file; rounds that are in it count for the report and for --resume.")
    private @Nullable Path keep;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Chaos())
                .setUsageHelpWidth(130)
                .setParameterExceptionHandler(Chaos::explainUsage)
                .setExecutionExceptionHandler((failed, command, parsed) -> {
                    System.err.println("baton: " + failed);
                    return 70;
                })
                .execute(arguments));
    }

    private static int explainUsage(ParameterException wrong, String[] arguments) {
        System.err.println("baton: " + wrong.getMessage() + "\nTry 'baton chaos --help'.");
        return 64;
    }

    @Override
    public Integer call() throws Exception {
        if (faults != null && faults.equals(List.of("list"))) {
            Fault.titles().forEach(System.out::println);
            return 0;
        }
        if (scenarios != null && scenarios.equals(List.of("list"))) {
            Scenario.titles().forEach(System.out::println);
            return 0;
        }
        if (postgres < 14 || postgres > 18) {
            throw usage("There is no PostgreSQL " + postgres + " here: choose 14, 15, 16, 17 or 18.");
        }
        if (messages < 0) {
            throw usage("--messages wants a number of messages: 100000, for instance.");
        }
        return load == null ? runCampaign() : runLoad(duration(load));
    }

    private int runLoad(Duration time) throws Exception {
        List<String> wrong = new Load(time, seed, evidence.toAbsolutePath()).run();
        wrong.forEach(System.out::println);
        System.out.println(
                wrong.isEmpty() ? "OK: nothing grows, and everything was handled once." : "FAILED: see above.");
        return wrong.isEmpty() ? 0 : 1;
    }

    private List<Pair> pairs() throws InterruptedException {
        List<Scenario> wanted = chosen("scenario", scenarios, Scenario.values(), Scenario::title, Scenario.titles());
        List<Pair> pairs = messages > 0
                ? Pair.many(available(wanted), possible(faults(faults)), messages)
                : Pair.all(available(wanted), attacks());
        if (pairs.isEmpty()) {
            throw usage("None of these faults fits to one of these scenarios: choose others.");
        }
        return quick ? Pair.oneOfEach(pairs, new Random(seed)) : pairs;
    }

    private List<Fault> faults(@Nullable List<String> names) {
        return chosen("fault", names, Fault.values(), Fault::title, Fault.titles());
    }

    /** Single faults, and those that are joined by a plus sign; behind an @ the moment at which the first one strikes. */
    private List<Attack> attacks() throws InterruptedException {
        List<String> names = faults == null ? Fault.titles() : faults;
        List<Attack> attacks = new ArrayList<>();
        for (String name : names) {
            String[] parts = name.split("@", 2);
            List<Fault> joined = faults(Arrays.asList(parts[0].split("\\+", -1)));
            String moment = parts.length == 1 ? null : parts[1];
            if (moment != null && (!joined.get(0).isInside() || !Fault.moments().contains(moment))) {
                throw usage(
                        "'" + name + "' cannot be: behind the @ stands a moment of a fault that strikes inside, one of "
                                + String.join(", ", Fault.moments()) + ".");
            }
            if (joined.size() > 2 || (joined.size() == 2 && !joined.get(1).canBeBeside())) {
                throw usage("'" + name + "' cannot be: two faults at the most, and the second among "
                        + Arrays.stream(Fault.values())
                                .filter(Fault::canBeBeside)
                                .map(Fault::title)
                                .collect(Collectors.joining(", "))
                        + ".");
            }
            if (possible(joined).size() == joined.size()) {
                attacks.add(new Attack(joined, 0, moment));
            }
        }
        return attacks;
    }

    private int runCampaign() throws Exception {
        Duration time = atMost == null ? Duration.ofDays(365) : duration(atMost);
        int each = rounds >= 0 ? rounds : atMost == null ? 1 : 0;
        List<Round.Result> results =
                new Campaign(pairs(), each, resume, time, seed, stopAtViolation, evidence.toAbsolutePath(), keep).run();
        long violated = results.stream()
                .filter(result -> !result.violations().isEmpty())
                .count();
        long without = results.stream().filter(Round.Result::isVoid).count();
        boolean counts = without < results.size() || (resume && results.isEmpty());
        System.out.println((violated == 0 && counts ? "OK: " : "FAILED: ") + results.size() + " rounds, " + violated
                + " violated, " + without + " void; seed " + seed + ".");
        return violated == 0 && counts ? 0 : 1;
    }

    private static List<Scenario> available(List<Scenario> wanted) {
        List<Scenario> available = new ArrayList<>();
        for (Scenario scenario : wanted) {
            @Nullable String missing = scenario.missing();
            if (missing == null) {
                available.add(scenario);
            } else {
                System.err.println("baton: the scenario " + scenario.title() + " is left out: " + missing + ".");
            }
        }
        return available;
    }

    private static List<Fault> possible(List<Fault> strikes) throws InterruptedException {
        List<Fault> possible = new ArrayList<>();
        for (Fault fault : strikes) {
            @Nullable String missing = fault.missing();
            if (missing == null) {
                possible.add(fault);
            } else {
                System.err.println("baton: the fault " + fault.title() + " is left out: " + missing + ".");
            }
        }
        return possible;
    }

    private <T> List<T> chosen(
            String what, @Nullable List<String> names, T[] all, Function<T, String> title, List<String> titles) {
        if (names == null) {
            return Arrays.asList(all);
        }
        List<T> chosen = new ArrayList<>();
        for (String name : names) {
            T found = Arrays.stream(all)
                    .filter(each -> title.apply(each).equals(name))
                    .findFirst()
                    .orElseThrow(() -> usage("There is no " + what + " '" + name + "': choose among "
                            + String.join(", ", titles) + "."));
            chosen.add(found);
        }
        return chosen;
    }

    private Duration duration(String text) {
        try {
            return Duration.parse("PT" + text.toUpperCase(Locale.ROOT));
        } catch (java.time.format.DateTimeParseException wrong) {
            throw usage("'" + text + "' is no time: write 30s, 10m or 1h.");
        }
    }

    private ParameterException usage(String message) {
        if (spec == null) {
            throw new IllegalStateException(message);
        }
        return new ParameterException(spec.commandLine(), message);
    }
}
