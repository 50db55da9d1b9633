package org.pgbaton.server.doctor;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.DatabaseOptions;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
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
            "  baton doctor --json",
            ""
        })
public final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Option(
            names = "--for",
            paramLabel = "append|read|worker|capture",
            description =
                    "What the role is to be used for: only what that needs is checked and advised (default: worker).")
    private Purpose purpose = Purpose.WORKER;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() {
        try (ChosenDatabase chosen = database.choose()) {
            List<Finding> findings = new Doctor(chosen.sessions(), chosen.schema(), purpose).examine();
            if (json) {
                Map<String, @Nullable Object> all = new LinkedHashMap<>();
                all.put("database", chosen.url().toString());
                all.put("findings", findings.stream().map(DoctorCommand::asMap).toList());
                Output.json(all);
            } else {
                Output.line(chosen.url());
                findings.forEach(DoctorCommand::print);
            }
            boolean sick = findings.stream().anyMatch(each -> each.level() == Finding.Level.ERROR);
            return sick ? ExitCode.NEGATIVE : ExitCode.DONE;
        }
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
