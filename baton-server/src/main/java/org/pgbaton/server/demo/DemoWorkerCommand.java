package org.pgbaton.server.demo;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.kafka.KafkaTransactionalPublisher;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.log.Message;
import org.pgbaton.server.serve.BatonYaml;
import org.pgbaton.server.serve.DatabaseWait;
import org.pgbaton.server.serve.Workload;
import org.pgbaton.subscription.SubscriptionBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A worker of the demo. It is a candidate that reports to its parent on standard output ({@code STANDBY}, {@code LEADING epoch}, {@code LOST}). It is
 * a member of the subscriptions that keep the holdings and publish the trades. And it runs the captures and channels of a file, as {@code baton
 * serve} does. It ends when its standard input ends, so that it does not outlive the demo.
 */
@Command(name = "demo-worker", hidden = true)
public final class DemoWorkerCommand implements Callable<Integer> {
    @Parameters(index = "0")
    private String url = "";

    @Parameters(index = "1")
    private String who = "";

    @Option(names = "--schema", required = true)
    private String schema = "";

    @Option(names = "--webhook")
    private @Nullable URI webhook;

    @Option(names = "--kafka")
    private @Nullable String kafka;

    @Option(names = "--channels", required = true)
    private @Nullable Path channels;

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (Baton baton = Baton.builder(url)
                        .schema(schema)
                        .who(who)
                        .migrate(false)
                        .open();
                Workload alerts = new Workload()) {
            publish(baton.subscription("trades").on("outbox").workers(2)).start();
            baton.subscription("holdings")
                    .on("events")
                    .workers(2)
                    .project(this::apply)
                    .start();
            alerts.start(BatonYaml.read(channels, Map.of()), baton, DatabaseWait.none());
            baton.addLeadershipListener(change -> {
                if (change.leadership().equals(DemoPlan.LEADERSHIP)) { // a capture has a leadership, too
                    say(change.to(), change.epoch());
                }
            });
            baton.leadership(DemoPlan.LEADERSHIP).campaign(term -> {});
            while (System.in.read() >= 0) {
                // The parent writes nothing; the stream ends when it ends.
            }
        }
        return 0;
    }

    private SubscriptionBuilder publish(SubscriptionBuilder relay) {
        String servers = kafka;
        return servers == null
                ? relay.publish(WebhookPublisher.to(Objects.requireNonNull(webhook, "webhook"))
                        .allowPrivate(true)
                        .build())
                // The subscription has the same name in every demo, and this Kafka may have seen one before.
                : relay.publish(KafkaTransactionalPublisher.to(servers)
                        .prefix("baton-demo")
                        .build());
    }

    private void apply(Message trade, Connection connection) throws SQLException {
        try (PreparedStatement hold = connection.prepareStatement(TradesSql.HOLD);
                PreparedStatement handled = connection.prepareStatement(TradesSql.HANDLED)) {
            hold.setString(1, trade.key());
            hold.setString(2, trade.text());
            hold.executeUpdate();
            handled.setString(1, trade.key());
            handled.setString(2, trade.text());
            handled.setString(3, who);
            handled.executeUpdate();
        }
    }

    private static void say(LeadershipState state, long epoch) {
        System.out.println(state + " " + epoch);
        System.out.flush();
    }
}
