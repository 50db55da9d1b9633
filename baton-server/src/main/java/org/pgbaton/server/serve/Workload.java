package org.pgbaton.server.serve;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.server.config.Problem;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionStatus;

/**
 * The relays, channels and captures of a file, running in this process. Closing ends the captures first, then all relays and channels at the
 * same time, and waits for the last. Thread-safe.
 */
public final class Workload implements AutoCloseable {
    private final List<RunningSubscription> subscriptions = new CopyOnWriteArrayList<>();
    private final List<RunningCapture> captures = new CopyOnWriteArrayList<>();
    private volatile boolean ending;

    /**
     * Starts all of them. Captures come last, so that a channel that starts "now" is subscribed before the first change. If one is refused,
     * those that run already are ended, and subscriptions that this start has made are deleted again.
     *
     * @param wait for a database that goes away meanwhile
     * @throws org.pgbaton.server.config.ConfigurationException if one exists in the database with other settings
     */
    public void start(BatonYaml yaml, Baton baton, DatabaseWait wait) throws InterruptedException {
        Set<String> before = wait.take(() -> Set.copyOf(baton.subscriptions().list().stream()
                .map(SubscriptionStatus::name)
                .toList()));
        try {
            startAll(yaml, baton, wait);
        } catch (ConfigurationException | BatonException refused) {
            if (!isEnding()
                    && !(refused instanceof DatabaseException away
                            && away.fault().passes())) {
                close();
                if (!isEnding()) {
                    new RefusedStart(baton, before).forget(yaml.subscriptions());
                }
            }
            throw refused;
        }
    }

    /** A start that is interrupted fails with any exception, and was not refused: what it has made is to go on. */
    private boolean isEnding() {
        return ending || Thread.currentThread().isInterrupted();
    }

    /** Somebody is about to close this. */
    void ending() {
        ending = true;
    }

    /** What a change of the file did. */
    public record Change(int started, int ended, int kept) {}

    /**
     * Ends what the file does not have any more, or has with other settings, and starts what it has and does not run. The rest goes on
     * undisturbed.
     *
     * @throws org.pgbaton.server.config.ConfigurationException if one is refused; those before it run
     */
    synchronized Change change(BatonYaml yaml, Baton baton) throws InterruptedException {
        List<RunningSubscription> endedSubscriptions = subscriptions.stream()
                .filter(each -> yaml.relays().stream().noneMatch(each::isFor)
                        && yaml.channelSubscriptions().stream().noneMatch(each::isFor))
                .toList();
        List<RunningCapture> endedCaptures = captures.stream()
                .filter(each -> yaml.captures().stream().noneMatch(each::isFor))
                .toList();
        captures.removeAll(endedCaptures);
        endedCaptures.forEach(RunningCapture::close);
        subscriptions.removeAll(endedSubscriptions);
        endedSubscriptions.forEach(RunningSubscription::close);
        int kept = subscriptions.size() + captures.size();
        startAll(yaml, baton, DatabaseWait.none());
        return new Change(
                subscriptions.size() + captures.size() - kept, endedSubscriptions.size() + endedCaptures.size(), kept);
    }

    /** Leaves out what runs already. */
    private void startAll(BatonYaml yaml, Baton baton, DatabaseWait wait) throws InterruptedException {
        for (RelayConfig relay : yaml.relays()) {
            if (subscriptions.stream().noneMatch(each -> each.isFor(relay))) {
                start(yaml, relay.line(), wait, () -> RunningSubscription.start(relay, baton));
            }
        }
        for (CaptureConfig capture : yaml.captures()) {
            wait.run(() -> RunningCapture.prepare(capture, baton));
        }
        for (ChannelSubscription channel : yaml.channelSubscriptions()) {
            if (subscriptions.stream().noneMatch(each -> each.isFor(channel))) {
                start(yaml, channel.line(), wait, () -> RunningSubscription.start(channel, baton));
            }
        }
        for (CaptureConfig capture : yaml.captures()) {
            if (captures.stream().noneMatch(each -> each.isFor(capture))) {
                start(yaml, capture, wait, baton);
            }
        }
    }

    private void start(BatonYaml yaml, CaptureConfig capture, DatabaseWait wait, Baton baton)
            throws InterruptedException {
        try {
            captures.add(wait.take(() -> RunningCapture.start(capture, baton)));
        } catch (CaptureException | IllegalArgumentException refused) {
            throw yaml.wrong(
                    List.of(new Problem(capture.line(), Problem.within(String.valueOf(refused.getMessage())))));
        }
    }

    private void start(BatonYaml yaml, int line, DatabaseWait wait, Supplier<RunningSubscription> start)
            throws InterruptedException {
        try {
            subscriptions.add(wait.take(start));
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
    public synchronized void close() {
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
