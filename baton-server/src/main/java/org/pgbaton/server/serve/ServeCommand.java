package org.pgbaton.server.serve;

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
import org.pgbaton.server.capture.CaptureConfig;
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
            "Runs every relay, capture and channel of the file until SIGTERM, SIGINT or SIGHUP; then it finishes the work in progress and exits "
                    + "with 0. A second signal ends it at once. Any number of such processes share the work.",
            "A relay or channel that is stopped, or whose target is away, does not end it.",
        },
        header = {
            "Runs the relays, captures and channels of a configuration file.",
            "",
            "Examples:",
            "  baton serve                                        what ./baton.yaml describes",
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
    private DatabaseOptions database = new DatabaseOptions().toBeNamed();

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
        BatonYaml yaml = BatonYaml.read(file, System.getenv());
        database.fallBackTo(yaml.database(), yaml.schema());
        if (check) {
            return check(yaml);
        }
        database.requireNamed();
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

    private void serve(BatonYaml yaml, Stop stop) throws InterruptedException {
        try (DatabaseOptions.Place place = database.place();
                Baton baton = open(place)) {
            requireFit(yaml, baton);
            Serving.say(baton.who() + " serves " + what(yaml) + " of " + yaml.file() + " on " + place.url()
                    + ", schema '" + database.schema() + "'.");
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

    /** "2 relays", "1 relay, 1 capture and 2 channels". */
    private static String what(BatonYaml yaml) {
        List<String> parts = new ArrayList<>();
        if (!yaml.relays().isEmpty()) {
            parts.add(Output.count(yaml.relays().size(), "relay"));
        }
        if (!yaml.captures().isEmpty()) {
            parts.add(Output.count(yaml.captures().size(), "capture"));
        }
        if (!yaml.channels().isEmpty()) {
            parts.add(Output.count(yaml.channels().size(), "channel"));
        }
        String last = parts.remove(parts.size() - 1);
        return parts.isEmpty() ? last : String.join(", ", parts) + " and " + last;
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
            all.put(
                    "captures",
                    yaml.captures().stream().map(ServeCommand::asMap).toList());
            all.put("channels", yaml.feeds().stream().map(ServeCommand::asMap).toList());
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
            if (!rows.isEmpty()) {
                Output.text(Output.table(List.of("RELAY", "LOG", "SUBSCRIPTION", "ORDER", "WORKERS", "TARGET"), rows));
            }
            printChannels(yaml);
        }
        Serving.say(yaml.file() + " is right."
                + (unchecked == null ? "" : " Logs and subscriptions were not checked: " + unchecked));
        return ExitCode.DONE;
    }

    private static void printChannels(BatonYaml yaml) {
        List<List<String>> captures = yaml.captures().stream()
                .map(capture -> List.of(
                        capture.name(),
                        capture.log(),
                        String.join(
                                ", ",
                                capture.tables().stream()
                                        .map(CaptureConfig.Table::name)
                                        .toList()),
                        capture.operations().isEmpty() ? "all" : String.join(", ", capture.operations())))
                .toList();
        if (!captures.isEmpty()) {
            Output.text(Output.table(List.of("CAPTURE", "LOG", "TABLES", "OPERATIONS"), captures));
        }
        List<List<String>> feeds = yaml.feeds().stream()
                .map(feed -> List.of(
                        feed.channel().name(),
                        feed.log(),
                        feed.subscription(),
                        feed.channel().start(),
                        feed.channel().target()))
                .toList();
        if (!feeds.isEmpty()) {
            Output.text(Output.table(List.of("CHANNEL", "LOG", "SUBSCRIPTION", "START", "TARGET"), feeds));
        }
    }

    private static Map<String, Object> asMap(CaptureConfig capture) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", capture.name());
        map.put("log", capture.log());
        map.put(
                "tables",
                capture.tables().stream().map(CaptureConfig.Table::name).toList());
        map.put("operations", capture.operations());
        map.put("channels", capture.channels());
        return map;
    }

    private static Map<String, Object> asMap(Feed feed) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", feed.channel().name());
        map.put("log", feed.log());
        map.put("subscription", feed.subscription());
        map.put("start", feed.channel().start());
        map.put("target", feed.channel().target());
        return map;
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
            return database.isEmbedded()
                    ? "that would start the embedded PostgreSQL."
                    : "no database is named; 'serve' needs one (--database-url, BATON_DATABASE_URL, 'database' in the file), or "
                            + "--embedded.";
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
            requireLog(relay.log(), relay.logLine(), logs, problems);
            requireSame(relay.subscription(), relay.log(), relay.order(), relay.line(), subscriptions, problems);
        }
        for (Feed feed : yaml.feeds()) {
            if (!feed.made()) {
                requireLog(feed.log(), feed.line(), logs, problems);
            }
            requireSame(feed.subscription(), feed.log(), "key", feed.line(), subscriptions, problems);
        }
        if (!problems.isEmpty()) {
            throw yaml.wrong(problems);
        }
    }

    private void requireLog(String log, int line, List<String> logs, List<Problem> problems) {
        if (!logs.contains(log)) {
            problems.add(new Problem(
                    line,
                    "there is no log '" + log + "' in schema '" + database.schema() + "'"
                            + Misunderstanding.didYouMean(log, logs) + " 'baton logs create " + log + "' creates it"));
        }
    }

    private static void requireSame(
            String subscription,
            String log,
            String order,
            int line,
            List<SubscriptionStatus> existing,
            List<Problem> problems) {
        existing.stream()
                .filter(each -> each.live() && each.name().equals(subscription))
                .filter(each -> !each.log().equals(log) || !each.order().equals(order))
                .forEach(each -> problems.add(new Problem(
                        line,
                        "subscription '" + each.name() + "' exists, and reads log '" + each.log() + "' in order '"
                                + each.order() + "': name another subscription, or correct log and order")));
    }
}
