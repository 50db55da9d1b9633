package org.pgbaton.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.spring.listener.ListenerObserver;
import org.pgbaton.subscription.HandlerException;

/**
 * An observation around each call of a listener, {@code baton.listener} with the tags {@code subscription} and {@code log}.
 *
 * <p>Guarantee: if the application traces, the call's span continues the trace in the message's headers. A batch has many traces; its span
 * begins a new one. Each attempt is a call of its own. Thread-safe.
 */
public final class ObservedListeners implements ListenerObserver {
    private final ObservationRegistry registry;

    /** Observes for this registry. */
    public ObservedListeners(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void observe(Called called, @Nullable Message message, Call call) throws Exception {
        if (registry.isNoop()) {
            call.run();
            return;
        }
        Observation observation = described(called, message).start();
        Observation.Scope scope = observation.openScope();
        try {
            call.run();
        } catch (Exception | Error failed) {
            observation.error(cause(failed));
            throw failed;
        } finally {
            scope.close();
            observation.stop();
        }
    }

    private Observation described(Called called, @Nullable Message message) {
        Observation observation = Observation.createNotStarted("baton.listener", () -> context(message), registry)
                .contextualName(called.subscription() + " process")
                .lowCardinalityKeyValue("subscription", called.subscription())
                .lowCardinalityKeyValue("log", called.log());
        return message == null
                ? observation
                : observation
                        .highCardinalityKeyValue("message.id", message.id().toString())
                        .highCardinalityKeyValue("message.position", Long.toString(message.position()));
    }

    private static Observation.Context context(@Nullable Message message) {
        if (message == null) {
            return new Observation.Context();
        }
        ReceiverContext<Message> context =
                new ReceiverContext<>((carrier, name) -> carrier.headerMap().get(name));
        context.setCarrier(message);
        return context;
    }

    /** What the listener threw, not what Baton makes of it. */
    private static Throwable cause(Throwable failed) {
        Throwable cause = failed instanceof HandlerException ? failed.getCause() : null;
        return cause == null ? failed : cause;
    }
}
