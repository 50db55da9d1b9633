package org.pgbaton.bench.peers;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.BiConsumer;

/**
 * Debezium's engine with JSON for a consumer. A batch is handed over change by change, then the consumer is told its
 * end, and then it is marked as processed. JSON without schemas and without tombstones after deletes is less work than
 * the default. The slot and the publication exist already.
 */
public final class DebeziumCapturePeer implements Runnable {
    private final DebeziumEngine<ChangeEvent<String, String>> engine;
    private final BiConsumer<String, String> sink;
    private final Runnable endOfBatch;

    public DebeziumCapturePeer(Map<String, String> options, BiConsumer<String, String> sink, Runnable endOfBatch) {
        this.sink = sink;
        this.endOfBatch = endOfBatch;
        Properties settings =
                EngineSettings.of(options, options.get("slot"), options.get("publication"), options.get("table"));
        settings.putIfAbsent("converter.schemas.enable", "false");
        settings.putIfAbsent("tombstones.on.delete", "false");
        this.engine = DebeziumEngine.create(Json.class)
                .using(settings)
                .notifying(this::take)
                .using((success, message, error) -> System.err.println("Debezium ends: " + message + " " + error))
                .build();
    }

    @Override
    public void run() {
        Thread thread = new Thread(engine, "debezium");
        thread.setDaemon(true);
        thread.start();
    }

    private void take(
            List<ChangeEvent<String, String>> batch,
            DebeziumEngine.RecordCommitter<ChangeEvent<String, String>> committer)
            throws InterruptedException {
        for (ChangeEvent<String, String> each : batch) {
            if (each.value() != null) {
                sink.accept(each.key(), each.value());
            }
        }
        endOfBatch.run();
        for (ChangeEvent<String, String> each : batch) {
            committer.markProcessed(each);
        }
        committer.markBatchFinished();
    }
}
