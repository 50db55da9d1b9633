package org.pgbaton.server.demo;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton demo}. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description =
                "Starts a throw-away PostgreSQL and three worker processes. One of them leads; all of them handle trades, which are "
                        + "appended to a log and an outbox meanwhile, and publish them to a webhook of the demo's own. Trades over a limit make "
                        + "alerts, which one of the workers reads from the WAL, for two channels of which one hangs. Kills the leader with kill -9 again and again, and says who took over and after "
                        + "how many milliseconds; in the end, whether every trade was handled exactly once, and published in order, and every alert told. Exits "
                        + "with 1 if not. Leaves nothing behind.",
        header = {
            "Kills workers and shows who takes over, after how many milliseconds, and that nothing is lost.",
            "",
            "Examples:",
            "  baton demo",
            "  baton demo --rounds 50",
            "  baton demo --rounds 0             until Ctrl-C",
            "  baton demo --kafka localhost:9092 publishes to a Kafka, exactly once",
            ""
        })
public final class DemoCommand implements Callable<Integer> {
    static final String LEADERSHIP = "demo";

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Stop after so many takeovers (default: 8); 0: at Ctrl-C.")
    private int rounds = 8;

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
        if (rounds < 0) {
            throw new IllegalArgumentException(
                    "--rounds " + rounds + " makes no sense: give 1 or more, or 0 to go on until Ctrl-C (default 8).");
        }
        try (DemoTarget target = target();
                Alerts alerts = new Alerts()) {
            boolean good = new Demo(rounds == 0 ? Integer.MAX_VALUE : rounds, target, alerts).run();
            return good ? ExitCode.DONE : ExitCode.NEGATIVE;
        }
    }
}
