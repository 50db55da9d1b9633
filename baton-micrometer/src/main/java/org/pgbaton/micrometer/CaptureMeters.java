package org.pgbaton.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.pgbaton.capture.Capture;

/** The meters of captures that this process takes part in. Registers each once. Thread-safe. */
final class CaptureMeters {
    private final MeterRegistry registry;
    private final Tags extra;
    private final Set<String> shown = ConcurrentHashMap.newKeySet();

    CaptureMeters(MeterRegistry registry, Tags extra) {
        this.registry = registry;
        this.extra = extra;
    }

    void show(Capture capture) {
        if (!shown.add(capture.name())) {
            return;
        }
        Tags tags = extra.and("capture", capture.name());
        FunctionCounter.builder(
                        "baton.capture.changes", capture, now -> now.health().changes())
                .description("Changes that this process has written to the log")
                .tags(tags)
                .register(registry);
        Gauge.builder("baton.capture.reading", capture, now -> now.isReading() ? 1 : 0)
                .description("1 while this process is the one that reads")
                .tags(tags)
                .register(registry);
        Gauge.builder("baton.capture.retained", capture, now -> now.health().retainedBytes())
                .description("WAL that the server keeps for the slot, as seen by the one that reads")
                .baseUnit("bytes")
                .tags(tags)
                .register(registry);
        Gauge.builder("baton.capture.trouble", capture, now -> now.health().isHealthy() ? 0 : 1)
                .description("1 while there is a problem or a warning")
                .tags(tags)
                .register(registry);
    }
}
