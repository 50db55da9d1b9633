package org.pgbaton.server.serve;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.log.LogStatus;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.Suggestion;
import org.pgbaton.server.config.Problem;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.SubscriptionStatus;

/**
 * Checks a file against a database: a session can be held, logs and subscriptions fit, tables can be captured. So what would be refused in the
 * middle of a start is refused before anything is made. Reads only. Not thread-safe.
 */
public final class DatabaseFit {
    private final BatonYaml yaml;
    private final Baton baton;
    private final String schema;
    private final List<String> logs;
    private final List<SubscriptionStatus> subscriptions;
    private final List<Problem> problems = new ArrayList<>();

    private DatabaseFit(BatonYaml yaml, Baton baton) {
        this.yaml = yaml;
        this.baton = baton;
        this.schema = baton.schema().name();
        this.logs = baton.logs().list().stream().map(LogStatus::name).toList();
        this.subscriptions = baton.subscriptions().list();
    }

    /**
     * @throws org.pgbaton.server.config.ConfigurationException with everything that does not fit
     * @throws org.pgbaton.database.DatabaseException if no session can be held, for instance because of a pooler
     */
    public static void require(BatonYaml yaml, Baton baton, ChosenDatabase chosen) {
        chosen.builder().checkSession();
        new DatabaseFit(yaml, baton).check();
    }

    private void check() {
        for (RelayConfig relay : yaml.relays()) {
            checkLog(relay.log(), relay.logLine());
            checkSubscription(relay.subscription(), relay.log(), relay.order(), relay.line());
        }
        for (ChannelSubscription channel : yaml.channelSubscriptions()) {
            if (!channel.captured()) {
                checkLog(channel.log(), channel.line());
            }
            checkSubscription(channel.subscription(), channel.log(), MessageOrder.PER_KEY, channel.line());
        }
        yaml.captures().forEach(this::checkCapture);
        if (!problems.isEmpty()) {
            throw yaml.wrong(problems);
        }
    }

    private void checkLog(String log, int line) {
        if (!logs.contains(log)) {
            problems.add(new Problem(
                    line,
                    "there is no log '" + log + "' in schema '" + schema + "'" + Suggestion.didYouMean(log, logs)
                            + " 'baton logs create " + log + "' creates it"));
        }
    }

    private void checkCapture(CaptureConfig capture) {
        try {
            RunningCapture.check(capture, baton);
        } catch (CaptureException | IllegalArgumentException refused) {
            problems.add(new Problem(capture.line(), Problem.within(String.valueOf(refused.getMessage()))));
        }
    }

    private void checkSubscription(String subscription, String log, MessageOrder order, int line) {
        subscriptions.stream()
                .filter(each -> each.live() && each.name().equals(subscription))
                .filter(each -> !each.log().equals(log) || each.order() != order)
                .forEach(each -> problems.add(new Problem(
                        line,
                        "subscription '" + each.name() + "' exists, and reads log '" + each.log() + "' in order '"
                                + each.order().word() + "': name another subscription, or correct log and order")));
    }
}
