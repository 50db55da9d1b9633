package org.pgbaton.server.doctor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.DatabaseAnswer;
import org.pgbaton.server.command.DatabaseOptions;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.NamedDatabase;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.serve.FileDatabases;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton doctor}. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description =
                "Checks whether a database is fit for Baton, and says what to do about each finding. Changes nothing. "
                        + "Exits with 1 if something is an error.",
        header = {
            "Checks a database and says what to do about each finding.",
            "",
            "Examples:",
            "  baton doctor --database-url postgres://app@db/shop",
            "  baton doctor --for append                     may this role do what a writer does, and nothing more?",
            "  baton doctor -c baton.yaml                    every database of the file",
            "  baton doctor --json",
            ""
        })
public final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Mixin
    private FileDatabases file = new FileDatabases();

    @Option(
            names = "--for",
            paramLabel = "append|read|worker|capture",
            description =
                    "What the role is to be used for: only what that needs is checked and advised (default: worker).")
    private Purpose purpose = Purpose.WORKER;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        List<NamedDatabase> several = file.several(database);
        return several.isEmpty() ? examineOne() : examineAll(several);
    }

    private int examineOne() {
        try (ChosenDatabase chosen = database.choose()) {
            List<Finding> findings = findings(chosen);
            if (json) {
                Output.json(asMap(chosen.url(), findings));
            } else {
                Output.line(chosen.url());
                findings.forEach(DoctorCommand::print);
            }
            return isSick(findings) ? ExitCode.NEGATIVE : ExitCode.DONE;
        }
    }

    /** A database that cannot be examined is an error among others, unless none can be. */
    private int examineAll(List<NamedDatabase> several) throws InterruptedException {
        List<DatabaseAnswer<List<Finding>>> answers =
                DatabaseAnswer.ofAll(several, database, (named, chosen) -> findings(chosen));
        if (answers.stream().allMatch(each -> each.failure() != null)) {
            throw Objects.requireNonNull(answers.get(0).failure());
        }
        List<Map<String, @Nullable Object>> all = new ArrayList<>();
        boolean sick = false;
        for (int i = 0; i < answers.size(); i++) {
            DatabaseAnswer<List<Finding>> each = answers.get(i);
            List<Finding> found = each.answer() == null
                    ? List.of(Finding.error("connection", each.sentence(), "Put that right, and examine it again."))
                    : each.answer();
            sick |= isSick(found);
            if (json) {
                Map<String, @Nullable Object> one = new LinkedHashMap<>();
                one.put("name", each.name());
                one.putAll(asMap(several.get(i).url(), found));
                all.add(one);
            } else {
                Output.line(each.name() + ": " + several.get(i).url());
                found.forEach(DoctorCommand::print);
            }
        }
        if (json) {
            Output.json(Map.of("databases", all));
        }
        return sick ? ExitCode.NEGATIVE : ExitCode.DONE;
    }

    private List<Finding> findings(ChosenDatabase chosen) {
        return new Doctor(chosen.sessions(), chosen.schema(), purpose).examine();
    }

    private static boolean isSick(List<Finding> findings) {
        return findings.stream().anyMatch(each -> each.level() == Finding.Level.ERROR);
    }

    private static Map<String, @Nullable Object> asMap(DatabaseUrl url, List<Finding> findings) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("database", url.toString());
        all.put("findings", findings.stream().map(DoctorCommand::asMap).toList());
        return all;
    }

    private static void print(Finding finding) {
        String mark = switch (finding.level()) {
            case OK -> "ok   ";
            case WARN -> "warn ";
            case ERROR -> "ERROR";
        };
        Output.line(mark + "  " + finding.check() + ": " + finding.found());
        if (finding.fix() != null) {
            Output.line("         fix: " + finding.fix());
        }
    }

    private static Map<String, @Nullable Object> asMap(Finding finding) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("level", finding.level().name().toLowerCase(java.util.Locale.ROOT));
        map.put("check", finding.check());
        map.put("found", finding.found());
        map.put("fix", finding.fix());
        return map;
    }
}
