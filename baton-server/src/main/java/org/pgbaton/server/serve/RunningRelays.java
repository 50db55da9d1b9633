package org.pgbaton.server.serve;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.pgbaton.Baton;
import org.pgbaton.server.config.Problem;
import org.pgbaton.subscription.SubscriptionException;

/** The relays of a file, running in this process. Closing ends all of them at the same time and waits for the last. Thread-safe. */
final class RunningRelays implements AutoCloseable {
    private final List<RunningRelay> running = new CopyOnWriteArrayList<>();

    /** @throws org.pgbaton.server.config.ConfigurationException if one exists in the database with other settings */
    void start(BatonYaml yaml, Baton baton) {
        for (Relay relay : yaml.relays()) {
            try {
                running.add(RunningRelay.start(relay, baton));
            } catch (SubscriptionException refused) {
                throw yaml.wrong(List.of(new Problem(relay.line(), String.valueOf(refused.getMessage()))));
            }
        }
    }

    List<RelayReport.Seen> seen() {
        return running.stream()
                .map(relay -> new RelayReport.Seen(relay.name(), relay.health()))
                .toList();
    }

    @Override
    public void close() {
        List<Thread> closers = running.stream()
                .map(relay -> new Thread(relay::close, "baton-close-" + relay.name()))
                .toList();
        closers.forEach(Thread::start);
        for (Thread closer : closers) {
            try {
                closer.join();
            } catch (InterruptedException inAHurry) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
