package org.pgbaton.server;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.DatabaseAnswer;
import org.pgbaton.server.command.DatabaseOptions;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.NamedDatabase;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.Watch;
import org.pgbaton.server.serve.FileDatabases;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton status}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description =
                "Shows who leads what, who stands by, since when, and under which epoch; when each schedule is due, and how far "
                        + "each subscription is. With -c of every database of the file; one that does not answer is told, and exits "
                        + "with 69.",
        header = {
            "Shows who leads, who stands by, and how far subscriptions are.",
            "",
            "Examples:",
            "  baton status",
            "  baton status --watch",
            "  baton status -c baton.yaml                   every database of the file",
            "  baton status --json | jq '.leaderships[].holder'",
            "  baton status --json | jq '.subscriptions[] | select(.lagSeconds > 60) | .name'",
            ""
        })
final class StatusCommand implements Callable<Integer> {
    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Mixin
    private FileDatabases file = new FileDatabases();

    @Option(names = "--watch", description = "Show it again every second, until Ctrl-C.")
    private boolean watch;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    private int code = ExitCode.DONE;

    @Override
    public Integer call() throws InterruptedException {
        List<NamedDatabase> several = file.several(database);
        if (several.isEmpty()) {
            one();
        } else {
            all(several);
        }
        return code;
    }

    private void one() throws InterruptedException {
        try (ChosenDatabase chosen = database.choose();
                Baton baton = chosen.openForOperator()) {
            chosen.psqlCommand().ifPresent(command -> Output.say("baton: While it runs: " + command));
            Watch.show(watch, () -> {
                DatabaseStatus status = DatabaseStatus.of("", baton);
                if (json) {
                    Output.json(status.asMap());
                } else {
                    print(List.of(status));
                }
            });
        }
    }

    private void all(List<NamedDatabase> several) throws InterruptedException {
        Map<String, Baton> opened = new ConcurrentHashMap<>();
        try {
            Watch.show(watch, () -> {
                try {
                    show(DatabaseAnswer.ofAll(
                            several,
                            database,
                            (named, chosen) -> DatabaseStatus.of(named.name(), opened(opened, named.name(), chosen))));
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            });
        } finally {
            opened.values().forEach(Baton::close);
        }
    }

    /** The map is not locked meanwhile: one database that does not answer would delay others. */
    private static Baton opened(Map<String, Baton> all, String name, ChosenDatabase chosen) {
        Baton known = all.get(name);
        if (known != null) {
            return known;
        }
        Baton own = chosen.openForOperator();
        Baton quicker = all.putIfAbsent(name, own);
        if (quicker == null) {
            return own;
        }
        own.close();
        return quicker;
    }

    private void show(List<DatabaseAnswer<DatabaseStatus>> answers) {
        if (json) {
            Output.json(Map.of(
                    "databases", answers.stream().map(StatusCommand::asMap).toList()));
        } else {
            print(answers.stream()
                    .flatMap(each -> Stream.ofNullable(each.answer()))
                    .toList());
        }
        code = ExitCode.DONE;
        for (DatabaseAnswer<DatabaseStatus> each : answers) {
            RuntimeException failure = each.failure();
            if (failure != null) {
                code = Failure.codeOf(failure);
                Output.complain("baton: " + each.name() + ": " + each.sentence());
            }
        }
    }

    private static Map<String, @Nullable Object> asMap(DatabaseAnswer<DatabaseStatus> each) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", each.name());
        map.put("trouble", each.failure() == null ? null : each.sentence());
        DatabaseStatus status = each.answer();
        if (status != null) {
            map.putAll(status.asMap());
        }
        return map;
    }

    private void print(List<DatabaseStatus> all) {
        Watch.clear(watch);
        List<String> tables = DatabaseStatus.tables(all);
        if (!tables.isEmpty()) {
            Output.text(String.join("\n\n", tables));
        } else if (!all.isEmpty()) {
            Output.say("Nobody has bid for a leadership here yet. Try: baton lead nightly -- echo hello");
        }
    }
}
