package org.pgbaton.server.process;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.DatabaseOptions;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.NamedDatabase;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.server.serve.BatonYaml;
import org.pgbaton.server.serve.ConfigOption;
import org.pgbaton.server.serve.Serving;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton serve}. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        description = {
            "Runs every relay, capture and channel of the file until SIGTERM or SIGINT; then it finishes the work in progress and exits "
                    + "with 0. A second signal ends it at once. SIGHUP reads the file again. Any number of such processes share the work.",
            "A relay or channel that is stopped, or whose target is away, does not end it. With several databases in the file, one that "
                    + "is away or refuses delays only itself.",
        },
        header = {
            "Runs the relays, captures and channels of a configuration file.",
            "",
            "Examples:",
            "  baton serve                                        what ./baton.yaml describes",
            "  baton serve -c /etc/baton.yaml --http-port 8080    also the dashboard, /livez, /readyz and /metrics",
            "  baton serve --check                                is the file right, and what would run?",
            "  baton serve --print-json-schema                    for editors",
            "",
        },
        footer = "TIME is written like 500ms, 30s, 5m or 2h.")
public final class ServeCommand implements Callable<Integer> {
    @Mixin
    private ConfigOption config = new ConfigOption();

    @Option(names = "--check", description = "Only say whether the file is right, and what would run.")
    private boolean check;

    @Option(names = "--json", description = "With --check: print JSON.")
    private boolean json;

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            description =
                    "Serve the dashboard, /livez, /readyz and /metrics there; 0: not at all (default: as the file says, or 0).")
    private @Nullable Integer httpPort;

    @Option(
            names = "--database-wait",
            paramLabel = "TIME",
            defaultValue = "0s",
            description =
                    "Wait so long for a database that is away, from the start until everything runs (default: 0s), then exit 69; with "
                            + "several only if none can be served.")
    private Duration databaseWait = Duration.ZERO;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            defaultValue = "25s",
            description = "How long the work in progress may take to end after a signal (default: 25s).")
    private Duration grace = Duration.ofSeconds(25);

    @Option(names = "--no-migrate", description = "Never change Baton's schema; refuse to start if it does not fit.")
    private boolean noMigrate;

    @Option(
            names = "--print-json-schema",
            description = "Print the JSON Schema of the file; reads nothing and touches no database.")
    private boolean printJsonSchema;

    @Mixin
    private DatabaseOptions database = new DatabaseOptions().neverEmbeddedByDefault();

    @Override
    public Integer call() throws Exception {
        if (printJsonSchema) {
            Output.json(BatonYaml.jsonSchema());
            return ExitCode.DONE;
        }
        if (json && !check) {
            throw new UsageException("--json is for --check: add it, or leave --json out.");
        }
        if (httpPort != null && (httpPort < 0 || httpPort > 65535)) {
            throw new UsageException("--http-port " + httpPort + " makes no sense: give 1 to 65535, or 0 for none.");
        }
        BatonYaml yaml = config.read();
        List<NamedDatabase> several = yaml.databases();
        if (several.isEmpty()) {
            database.fallBackTo(yaml.database(), yaml.directDatabase(), yaml.schema());
        } else {
            database.refuseAnother(several.stream().map(NamedDatabase::name).toList());
        }
        if (check) {
            return new FileCheck(yaml, database, json).run();
        }
        if (several.isEmpty()) {
            database.requireNamed();
        }
        StopRequest stop = StopRequest.onSignals(grace);
        try (Reload reload = Reload.onSignal(config)) {
            serve(yaml, stop, reload);
        } catch (InterruptedException | RuntimeException failure) {
            // The signal interrupts a start that is under way, which then fails with any exception.
            if (!stop.isAsked()) {
                throw failure;
            }
        }
        Serving.say("Ended.");
        return ExitCode.DONE;
    }

    private void serve(BatonYaml yaml, StopRequest stop, Reload reload) throws InterruptedException {
        try (ServePort port = ServePort.listen(
                        yaml.http(), httpPort == null ? yaml.http().port() : httpPort);
                ServedDatabases served = new ServedDatabases(yaml, runs(yaml, port), port)) {
            try {
                served.start();
                served.awaitOne();
                stop.started();
                reload.begin(served);
                stop.await();
                reload.close();
            } finally {
                stop.started();
                Thread.interrupted(); // otherwise closing would not wait for the work in progress
            }
        }
    }

    private List<DatabaseRun> runs(BatonYaml yaml, ServePort port) {
        List<NamedDatabase> several = yaml.databases();
        DistinctDatabases distinct = new DistinctDatabases();
        return several.isEmpty()
                ? List.of(new DatabaseRun("", yaml, database.choose(), !noMigrate, databaseWait, port, distinct))
                : several.stream()
                        .map(each -> new DatabaseRun(
                                each.name(),
                                yaml.on(each),
                                each.choose(database),
                                !noMigrate,
                                databaseWait,
                                port,
                                distinct))
                        .toList();
    }
}
