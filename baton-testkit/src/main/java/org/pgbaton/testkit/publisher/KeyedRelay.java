package org.pgbaton.testkit.publisher;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Publisher;

/**
 * A minimal relay: it sends all keys at once, sends the next message of a key when the one before is confirmed, and
 * sends failed messages again. Thread-safe.
 */
public final class KeyedRelay {
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Publisher publisher;
    private final AtomicInteger failures = new AtomicInteger();
    private final CompletableFuture<?> end;

    private KeyedRelay(Publisher publisher, List<Message> messages) {
        this.publisher = publisher;
        Map<String, List<Message>> keys = messages.stream().collect(Collectors.groupingBy(Message::key));
        this.end = CompletableFuture.allOf(keys.values().stream()
                .map(each -> publish(each, 0).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Starts to publish these messages. */
    public static KeyedRelay start(Publisher publisher, List<Message> messages) {
        return new KeyedRelay(publisher, messages);
    }

    private CompletionStage<Boolean> publish(List<Message> ofOneKey, int next) {
        if (next == ofOneKey.size()) {
            return CompletableFuture.completedFuture(true);
        }
        CompletionStage<?> stage = publisher.publish(ofOneKey.get(next), LoggedMessages.FIRST);
        return stage.handle((published, failure) -> failure)
                .thenCompose(failure -> failure == null
                        ? publish(ofOneKey, next + 1)
                        : CompletableFuture.runAsync(
                                        failures::incrementAndGet,
                                        CompletableFuture.delayedExecutor(PAUSE.toMillis(), TimeUnit.MILLISECONDS))
                                .thenCompose(again -> publish(ofOneKey, next)));
    }

    /** How many attempts have failed so far. */
    public int failures() {
        return failures.get();
    }

    /** Waits until all messages are published. */
    public void awaitEnd(Duration atMost) throws Exception {
        end.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }
}
