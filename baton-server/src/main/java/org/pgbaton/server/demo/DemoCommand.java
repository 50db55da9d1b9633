package org.pgbaton.server.demo;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton demo}. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description =
                "Starts a throw-away PostgreSQL, three worker processes and the dashboard. One of them leads; all of them handle trades, which are "
                        + "appended to a log and an outbox meanwhile, and publish them to a webhook of the demo's own. Trades over a limit make "
                        + "alerts, which one of the workers reads from the WAL, for two channels of which one hangs. Kills the leader with kill -9 again and again, and says who took over and after "
                        + "how many milliseconds; in the end, whether every trade was handled exactly once, and published in order, and every alert told. Exits "
                        + "with 1 if not. Leaves nothing behind.",
        header = {
            "Kills workers and shows who takes over, after how many milliseconds, and that nothing is lost.",
            "",
            "Examples:",
            "  baton demo                        until Ctrl-C; look at the page that it names",
            "  baton demo --rounds 50",
            "  baton demo --for 60s",
            "  baton demo --no-gremlin           you kill, on the page",
            "  baton demo --kafka localhost:9092 publishes to a Kafka, exactly once",
            ""
        })
public final class DemoCommand implements Callable<Integer> {

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Stop after so many takeovers, without pauses; 0: at Ctrl-C, the default.")
    private int rounds;

    @Option(names = "--for", paramLabel = "TIME", description = "Stop after this time, written like 60s or 5m.")
    private @Nullable Duration length;

    @Option(names = "--no-gremlin", description = "Kill nobody; do it on the page.")
    private boolean noGremlin;

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            description = "The port of the dashboard (default: 8088, or any that is free).")
    private int port;

    @Option(
            names = "--kafka",
            paramLabel = "HOST:PORT",
            description =
                    "Publish to this Kafka, exactly once, instead of to a webhook of the demo's own: to a new topic 'baton-demo-…'.")
    private @Nullable String kafka;

    private DemoTarget target() throws Exception {
        String servers = kafka;
        return servers == null
                ? new WebhookReceiver()
                : new KafkaTopic(servers, "baton-demo-" + Long.toString(System.currentTimeMillis(), 36));
    }

    @Override
    public Integer call() throws Exception {
        if (port < 0 || port > 65535) {
            throw new UsageException("--http-port " + port + " makes no sense: give 1 to 65535.");
        }
        if (rounds < 0) {
            throw new IllegalArgumentException(
                    "--rounds " + rounds + " makes no sense: give 1 or more, or 0 to go on until Ctrl-C (default 0).");
        }
        try (DemoTarget target = target();
                Alerts alerts = new Alerts()) {
            boolean good = new Demo(new DemoPlan(rounds, length, !noGremlin, port), target, alerts).run();
            return good ? ExitCode.DONE : ExitCode.NEGATIVE;
        }
    }
}
