package org.pgbaton.server.serve;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.server.capture.CaptureConfig;
import org.pgbaton.server.capture.RunningCapture;
import org.pgbaton.server.config.Problem;
import org.pgbaton.subscription.SubscriptionException;

/** The relays, channels and captures of a file, running in this process. Closing ends all of them at the same time and waits for the last. Thread-safe. */
final class RunningRelays implements AutoCloseable {
    private final List<RunningRelay> running = new CopyOnWriteArrayList<>();
    private final List<RunningCapture> captures = new CopyOnWriteArrayList<>();

    /**
     * Captures last: a channel that starts "now" is there before the first change.
     *
     * @throws org.pgbaton.server.config.ConfigurationException if one exists in the database with other settings
     */
    void start(BatonYaml yaml, Baton baton) {
        for (Relay relay : yaml.relays()) {
            start(yaml, relay.line(), () -> RunningRelay.start(relay, baton));
        }
        yaml.captures().forEach(capture -> RunningCapture.prepare(capture, baton));
        for (Feed feed : yaml.feeds()) {
            start(yaml, feed.line(), () -> RunningRelay.start(feed, baton));
        }
        for (CaptureConfig capture : yaml.captures()) {
            try {
                captures.add(RunningCapture.start(capture, baton));
            } catch (CaptureException | IllegalArgumentException refused) {
                throw yaml.wrong(
                        List.of(new Problem(capture.line(), Problem.within(String.valueOf(refused.getMessage())))));
            }
        }
    }

    private void start(BatonYaml yaml, int line, Supplier<RunningRelay> start) {
        try {
            running.add(start.get());
        } catch (SubscriptionException refused) {
            throw yaml.wrong(List.of(new Problem(line, String.valueOf(refused.getMessage()))));
        }
    }

    List<RelayReport.Seen> seen() {
        return Stream.concat(
                        running.stream().map(RunningRelay::seen),
                        captures.stream().map(each -> RelayReport.Seen.of(each.health())))
                .toList();
    }

    @Override
    public void close() {
        captures.forEach(RunningCapture::close);
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
