package org.pgbaton.server.serve;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.server.config.Problem;
import org.pgbaton.subscription.SubscriptionException;

/**
 * The relays, channels and captures of a file, running in this process. Closing ends the captures first, then all relays and channels at the
 * same time, and waits for the last. Thread-safe.
 */
public final class Workload implements AutoCloseable {
    private final List<RunningSubscription> subscriptions = new CopyOnWriteArrayList<>();
    private final List<RunningCapture> captures = new CopyOnWriteArrayList<>();

    /**
     * Starts all of them. Captures come last, so that a channel that starts "now" is subscribed before the first change.
     *
     * @throws org.pgbaton.server.config.ConfigurationException if one exists in the database with other settings
     */
    public void start(BatonYaml yaml, Baton baton) {
        for (RelayConfig relay : yaml.relays()) {
            start(yaml, relay.line(), () -> RunningSubscription.start(relay, baton));
        }
        yaml.captures().forEach(capture -> RunningCapture.prepare(capture, baton));
        for (ChannelSubscription channel : yaml.channelSubscriptions()) {
            start(yaml, channel.line(), () -> RunningSubscription.start(channel, baton));
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

    private void start(BatonYaml yaml, int line, Supplier<RunningSubscription> start) {
        try {
            subscriptions.add(start.get());
        } catch (SubscriptionException refused) {
            throw yaml.wrong(List.of(new Problem(line, String.valueOf(refused.getMessage()))));
        }
    }

    List<ServedHealth> health() {
        return Stream.concat(
                        subscriptions.stream().map(RunningSubscription::health),
                        captures.stream().map(RunningCapture::health))
                .toList();
    }

    @Override
    public void close() {
        captures.forEach(RunningCapture::close);
        List<Thread> closers = subscriptions.stream()
                .map(each -> new Thread(each::close, "baton-close-" + each.name()))
                .toList();
        closers.forEach(Thread::start);
        for (Thread closer : closers) {
            try {
                closer.join();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
