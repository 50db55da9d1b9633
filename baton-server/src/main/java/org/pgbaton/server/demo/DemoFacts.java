package org.pgbaton.server.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.http.Stage;
import org.pgbaton.database.BatonException;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.subscription.SubscriptionStatus;

/**
 * The facts of the page for a terminal, once a second: who leads, which worker owns how many lanes, how far each subscription is, and what was
 * measured. Thread-safe.
 */
final class DemoFacts implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Baton baton;
    private final Stage stage;
    private final DemoTerminal terminal;
    private final Supplier<String> measured;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "baton-demo-facts");
        thread.setDaemon(true);
        return thread;
    });

    private DemoFacts(Baton baton, Stage stage, DemoTerminal terminal, Supplier<String> measured) {
        this.baton = baton;
        this.stage = stage;
        this.terminal = terminal;
        this.measured = measured;
    }

    /** @param measured a line about all rounds so far */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for the result
    static DemoFacts begin(Baton baton, Stage stage, DemoTerminal terminal, Supplier<String> measured) {
        DemoFacts facts = new DemoFacts(baton, stage, terminal, measured);
        if (terminal.isTerminal()) {
            facts.clock.scheduleWithFixedDelay(facts::show, 0, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        }
        return facts;
    }

    private void show() {
        try {
            terminal.show(lines());
        } catch (BatonException away) {
            // It ends, or starts; the next one shows more.
        }
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("");
        String leader = baton.leaderStatus().stream()
                .filter(each -> each.name().equals(DemoPlan.LEADERSHIP))
                .map(LeaderStatus::holder)
                .findFirst()
                .orElse(null);
        Map<String, Integer> lanes = lanes();
        for (Stage.Actor actor : stage.actors()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  %-13s %-8s %3d lanes%s",
                    actor.name(),
                    actor.state(),
                    lanes.getOrDefault(actor.name(), 0),
                    actor.name().equals(leader) ? "   leads" : ""));
        }
        for (SubscriptionStatus each : baton.subscriptions().list()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  %-13s %-8s %,d rows behind, %.1f s",
                    each.name(),
                    each.state().word(),
                    each.backlog().positions(),
                    each.backlog().age().toMillis() / 1e3));
        }
        lines.add("  " + measured.get());
        lines.add("");
        return lines;
    }

    private Map<String, Integer> lanes() {
        return baton.transact("count lanes", connection -> {
            Map<String, Integer> lanes = new TreeMap<>();
            try (var select = connection.prepareStatement(
                            baton.schema()
                                    .in(
                                            "SELECT owner, count(*) FROM ${schema}.checkpoint WHERE owner IS NOT NULL GROUP BY owner"));
                    var rows = select.executeQuery()) {
                while (rows.next()) {
                    lanes.put(rows.getString(1), rows.getInt(2));
                }
            }
            return lanes;
        });
    }

    @Override
    public void close() {
        clock.shutdownNow();
        terminal.close();
    }
}
