package org.pgbaton.server.serve;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.log.LogStatus;
import org.pgbaton.schema.SchemaException;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.Misunderstanding;
import org.pgbaton.server.Output;
import org.pgbaton.server.UsageException;
import org.pgbaton.server.config.Problem;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton serve}. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        description = {
            "Runs every relay of the file until SIGTERM, SIGINT or SIGHUP; then it brings to its end what was begun, and exits "
                    + "with 0. A second signal ends it at once. Any number of such processes share the work.",
            "A relay that is stopped, or whose target is away, does not end it.",
        },
        header = {
            "Runs the relays of a configuration file.",
            "",
            "Examples:",
            "  baton serve                                        the relays of ./baton.yaml",
            "  baton serve -c /etc/baton.yaml --http-port 8080    also /livez, /readyz and /metrics",
            "  baton serve --check                                is the file right, and what would run?",
            "  baton serve --print-json-schema                    for editors",
            "",
        },
        footer = "TIME is written like 500ms, 30s, 5m or 2h.")
public final class ServeCommand implements Callable<Integer> {
    private static final long RETRY_MILLIS = 500;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The configuration (default: ./baton.yaml).")
    private @Nullable Path file;

    @Option(names = "--check", description = "Only say whether the file is right, and what would run.")
    private boolean check;

    @Option(names = "--json", description = "With --check: print JSON.")
    private boolean json;

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            description = "Serve /livez, /readyz and /metrics there; 0: not at all (default: as the file says, or 0).")
    private @Nullable Integer httpPort;

    @Option(
            names = "--database-wait",
            paramLabel = "TIME",
            defaultValue = "0s",
            description =
                    "Wait so long for a database that cannot be reached at the start (default: 0s), then exit 69.")
    private Duration databaseWait = Duration.ZERO;

    @Option(names = "--no-migrate", description = "Never change Baton's schema; refuse to start if it does not fit.")
    private boolean noMigrate;

    @Option(
            names = "--print-json-schema",
            description = "Print the JSON Schema of the file; reads nothing and touches no database.")
    private boolean printJsonSchema;

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

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
        BatonYaml yaml = BatonYaml.read(chosen(), System.getenv());
        database.fallBackTo(yaml.database(), yaml.schema());
        if (check) {
            return check(yaml);
        }
        Stop stop = Stop.onSignals();
        try {
            serve(yaml, stop);
        } catch (InterruptedException | RuntimeException failure) {
            // What is interrupted while it starts fails like anything else.
            if (!stop.isAsked()) {
                throw failure;
            }
        }
        Serving.say("Ended.");
        return ExitCode.DONE;
    }

    private Path chosen() {
        if (file != null) {
            return file;
        }
        if (!Files.exists(BatonYaml.DEFAULT)) {
            throw new UsageException("There is no baton.yaml in this folder: name a configuration with -c FILE.");
        }
        return BatonYaml.DEFAULT;
    }

    private void serve(BatonYaml yaml, Stop stop) throws InterruptedException {
        try (DatabaseOptions.Place place = database.place();
                Baton baton = open(place)) {
            requireFit(yaml, baton);
            Serving.say(baton.who() + " serves " + Output.count(yaml.relays().size(), "relay") + " of " + yaml.file()
                    + " on " + place.url() + ", schema '" + database.schema() + "'.");
            Serving.lines(yaml).forEach(Serving::say);
            try (Serving serving = new Serving(yaml, baton)) {
                serving.start(yaml.httpAddress(), httpPort == null ? yaml.httpPort() : httpPort);
                stop.started();
                stop.await();
            } finally {
                Thread.interrupted(); // or closing would not wait for what was begun
            }
        }
    }

    private Baton open(DatabaseOptions.Place place) throws InterruptedException {
        long end = System.nanoTime() + databaseWait.toNanos();
        boolean told = false;
        while (true) {
            try {
                return database.open(place, !noMigrate);
            } catch (DatabaseException away) {
                if (!away.fault().passes() || System.nanoTime() + RETRY_MILLIS * 1_000_000 > end) {
                    throw away;
                }
                if (!told) {
                    Serving.say("Waiting for the database: " + away.getMessage());
                    told = true;
                }
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }

    private int check(BatonYaml yaml) {
        String unchecked = unchecked(yaml);
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("file", yaml.file().toString());
            all.put("databaseChecked", unchecked == null);
            all.put("relays", yaml.relays().stream().map(ServeCommand::asMap).toList());
            Output.json(all);
        } else {
            List<List<String>> rows = yaml.relays().stream()
                    .map(relay -> List.of(
                            relay.name(),
                            relay.log(),
                            relay.subscription(),
                            relay.order(),
                            Integer.toString(relay.workers()),
                            relay.target().toString()))
                    .toList();
            System.out.println(
                    Output.table(List.of("RELAY", "LOG", "SUBSCRIPTION", "ORDER", "WORKERS", "TARGET"), rows));
        }
        Serving.say(yaml.file() + " is right."
                + (unchecked == null ? "" : " Logs and subscriptions were not checked: " + unchecked));
        return ExitCode.DONE;
    }

    private static Map<String, Object> asMap(Relay relay) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", relay.name());
        map.put("log", relay.log());
        map.put("subscription", relay.subscription());
        map.put("order", relay.order());
        map.put("workers", relay.workers());
        map.put("target", relay.target().toString());
        return map;
    }

    /** Looks at the database, changing nothing. Null, or why that was not possible. */
    private @Nullable String unchecked(BatonYaml yaml) {
        if (!database.isNamed()) {
            return "that would start the embedded PostgreSQL.";
        }
        try (DatabaseOptions.Place place = database.place();
                Baton baton = database.open(place, false)) {
            requireFit(yaml, baton);
            return null;
        } catch (SchemaException notMigrated) {
            return notMigrated.getMessage();
        } catch (DatabaseException away) {
            if (!away.fault().passes()) {
                throw away;
            }
            return away.getMessage();
        }
    }

    /** Refuses what the database knows better. */
    private void requireFit(BatonYaml yaml, Baton baton) {
        List<String> logs = baton.logs().list().stream().map(LogStatus::name).toList();
        List<SubscriptionStatus> subscriptions = baton.subscriptions().list();
        List<Problem> problems = new ArrayList<>();
        for (Relay relay : yaml.relays()) {
            if (!logs.contains(relay.log())) {
                problems.add(new Problem(
                        relay.logLine(),
                        "there is no log '" + relay.log() + "' in schema '" + database.schema() + "'"
                                + Misunderstanding.didYouMean(relay.log(), logs) + " 'baton logs create "
                                + relay.log() + "' creates it"));
            }
            subscriptions.stream()
                    .filter(each -> each.live() && each.name().equals(relay.subscription()))
                    .filter(each ->
                            !each.log().equals(relay.log()) || !each.order().equals(relay.order()))
                    .forEach(each -> problems.add(new Problem(
                            relay.line(),
                            "subscription '" + each.name() + "' exists, and reads log '" + each.log() + "' in order '"
                                    + each.order() + "': name another subscription, or correct log and order")));
        }
        if (!problems.isEmpty()) {
            throw yaml.wrong(problems);
        }
    }
}
