package org.pgbaton.proofs.relay;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Verdict;

/** A target in this JVM, which hangs, refuses and goes away as it is told; it keeps what arrives, in order. */
final class Endpoint implements Publisher {
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "endpoint");
        thread.setDaemon(true);
        return thread;
    });
    final List<Message> arrived = new CopyOnWriteArrayList<>();
    final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
    final Set<String> refused = ConcurrentHashMap.newKeySet();
    final Map<String, CompletableFuture<Void>> hanging = new ConcurrentHashMap<>();
    final AtomicInteger tries = new AtomicInteger();
    final AtomicInteger inFlight = new AtomicInteger();
    final AtomicInteger mostInFlight = new AtomicInteger();
    /** Keys of which a message was sent while the previous one was not confirmed. */
    final Set<String> overlapping = ConcurrentHashMap.newKeySet();

    private final Set<String> busy = ConcurrentHashMap.newKeySet();
    volatile boolean away;
    /** Makes it go away by itself when so many messages have arrived. */
    volatile int breaksDownAfter = Integer.MAX_VALUE;

    volatile long takesMillis;

    private final boolean keepsOrder;

    Endpoint() {
        this(false);
    }

    /** @param keepsOrder whether it takes several messages of a key together */
    Endpoint(boolean keepsOrder) {
        this.keepsOrder = keepsOrder;
    }

    @Override
    public String target() {
        return "endpoint";
    }

    @Override
    public boolean keepsOrder() {
        return keepsOrder;
    }

    @Override
    public CompletionStage<?> publish(Message message, Delivery delivery) {
        return publishInOrder(List.of(message), delivery);
    }

    @Override
    public CompletionStage<?> publishInOrder(List<Message> messages, Delivery delivery) {
        Message first = messages.get(0);
        tries.incrementAndGet();
        if (!busy.add(first.key())) {
            overlapping.add(first.key());
        }
        mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
        CompletableFuture<Void> answer = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                for (Message message : messages) {
                    takeOrSayWhich(message, delivery);
                }
                end(first);
                answer.complete(null);
            } catch (Throwable failed) {
                end(first);
                answer.completeExceptionally(failed);
            }
        });
        return answer;
    }

    private void takeOrSayWhich(Message message, Delivery delivery) throws Exception {
        try {
            take(message, delivery);
        } catch (HandlerException refusal) {
            throw refusal.about(message);
        }
    }

    private void end(Message message) {
        busy.remove(message.key());
        inFlight.decrementAndGet();
    }

    private void take(Message message, Delivery delivery) throws Exception {
        CompletableFuture<Void> hangs = hanging.get(message.key());
        if (hangs != null) {
            hangs.get();
        }
        if (takesMillis > 0) {
            Thread.sleep(takesMillis);
        }
        if (arrived.size() >= breaksDownAfter) {
            breaksDownAfter = Integer.MAX_VALUE;
            away = true;
        }
        if (away) {
            throw new HandlerException(Verdict.OUTAGE, "the endpoint is away");
        }
        if (refused.contains(message.text())) {
            throw new HandlerException(Verdict.PARK, "the endpoint refuses '" + message.text() + "'");
        }
        arrived.add(message);
        deliveries.add(delivery);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
