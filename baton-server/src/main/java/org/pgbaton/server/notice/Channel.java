package org.pgbaton.server.notice;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;

/**
 * Sends notices about the row changes that its rules choose. A change that no rule chooses counts as published. If a rule cannot be
 * evaluated, or a notice cannot be written, the key is parked and the channel goes on with others. Thread-safe.
 */
public final class Channel implements Publisher {
    private final Carrier carrier;
    private final List<Rule> rules;
    private final @Nullable RateLimit limit;

    /** @param rules a change must match one of them; if there are none, every change is chosen */
    Channel(Carrier carrier, List<Rule> rules, @Nullable RateLimit limit) {
        this.carrier = carrier;
        this.rules = rules;
        this.limit = limit;
    }

    @Override
    public String target() {
        return carrier.target();
    }

    /** @throws org.pgbaton.subscription.HandlerException if a rule cannot be evaluated */
    public boolean isAbout(RowChange change) {
        return !change.copy() && (rules.isEmpty() || rules.stream().anyMatch(rule -> rule.isAbout(change)));
    }

    /** @throws org.pgbaton.subscription.HandlerException if the notice cannot be written */
    public Notice notice(List<RowChange> changes) {
        return carrier.notice(changes);
    }

    /** @throws org.pgbaton.subscription.HandlerException if the rate limit does not allow it yet */
    public CompletionStage<?> send(Notice notice, Message message, Delivery delivery) {
        if (limit != null) {
            limit.take();
        }
        return carrier.send(notice, message, delivery);
    }

    @Override
    public CompletionStage<?> publish(Message message, Delivery delivery) {
        RowChange change = RowChange.of(message);
        return isAbout(change)
                ? send(notice(List.of(change)), message, delivery)
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
        carrier.close();
    }
}
