package org.pgbaton.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.SenderContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.log.Appended;
import org.pgbaton.spring.AppendObserver;

/**
 * An observation around each append, {@code baton.append} with the tag {@code log}.
 *
 * <p>Guarantee: if the application traces, the messages carry the context of the append's span, in the headers that its propagator writes
 * ({@code traceparent}, for instance). A header that the application has set itself stays. Thread-safe.
 */
public final class ObservedAppends implements AppendObserver {
    private final ObservationRegistry registry;

    /** Observes for this registry. */
    public ObservedAppends(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<Appended> observe(String log, Append append) {
        if (registry.isNoop()) {
            return append.withHeaders(Map.of());
        }
        Map<String, String> headers = new LinkedHashMap<>();
        // The headers are written when the observation starts.
        return Observation.createNotStarted("baton.append", () -> context(headers), registry)
                .contextualName(log + " append")
                .lowCardinalityKeyValue("log", log)
                .observe(() -> append.withHeaders(headers));
    }

    private static SenderContext<Map<String, String>> context(Map<String, String> headers) {
        SenderContext<Map<String, String>> context =
                new SenderContext<>((carrier, name, value) -> headers.put(name, value));
        context.setCarrier(headers);
        return context;
    }
}
