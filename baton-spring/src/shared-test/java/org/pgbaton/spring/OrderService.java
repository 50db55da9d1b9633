package org.pgbaton.spring;

import org.springframework.transaction.annotation.Transactional;

/** What an application has: a method with {@code @Transactional} that saves and sends. */
public class OrderService {
    /** What the application sends. */
    public record OrderPlaced(String id, int total) {}

    private final OrderStore store;
    private final Outbox outbox;
    private final EventLog events;

    public OrderService(OrderStore store, Outbox outbox, EventLog events) {
        this.store = store;
        this.outbox = outbox;
        this.events = events;
    }

    @Transactional
    public void place(String id) {
        saveAndSend(id);
    }

    @Transactional
    public void placeAndFail(String id) {
        saveAndSend(id);
        throw new IllegalStateException("the order " + id + " is refused");
    }

    @Transactional
    public void failAfterSendingNow(String id) {
        store.save(id);
        outbox.sendNow("orders", id, new OrderPlaced(id, 7));
        throw new IllegalStateException("the order " + id + " is refused");
    }

    @Transactional(readOnly = true)
    public void sendWhileReading(String id) {
        outbox.send("orders", id, new OrderPlaced(id, 7));
    }

    public void sendWithoutTransaction(String id) {
        outbox.send("orders", id, new OrderPlaced(id, 7));
    }

    public void appendWithoutTransaction(String id) {
        events.append(id, new OrderPlaced(id, 7));
    }

    private void saveAndSend(String id) {
        store.save(id);
        outbox.send("orders", id, new OrderPlaced(id, 7));
        events.append(id, new OrderPlaced(id, 7));
    }
}
