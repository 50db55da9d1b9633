package org.pgbaton.bench.peers;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Debezium's engine with its outbox event router and a producer. A batch is sent at once, and marked as processed when
 * all of it is confirmed. The slot and the publication exist already.
 */
public final class DebeziumPeer implements Runnable {
    private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
    private final BiFunction<String, String, Future<?>> producer;

    public DebeziumPeer(Map<String, String> options, BiFunction<String, String, Future<?>> producer) {
        this.producer = producer;
        this.engine = DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                .using(settings(options))
                .notifying(this::relay)
                .using((success, message, error) -> System.err.println("Debezium ends: " + message + " " + error))
                .build();
    }

    private static Properties settings(Map<String, String> options) {
        Properties settings = EngineSettings.of(
                options, "bench_" + options.get("database"), "dbz_publication", "public.outboxevent");
        settings.put("transforms", "outbox");
        settings.put("transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter");
        return settings;
    }

    @Override
    public void run() {
        Thread thread = new Thread(engine, "debezium");
        thread.setDaemon(true);
        thread.start();
    }

    private void relay(
            List<RecordChangeEvent<SourceRecord>> batch,
            DebeziumEngine.RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
            throws InterruptedException {
        List<Future<?>> sent = new ArrayList<>(batch.size());
        for (RecordChangeEvent<SourceRecord> each : batch) {
            SourceRecord message = each.record();
            if (message.value() instanceof String payload) {
                sent.add(producer.apply((String) message.key(), payload));
            }
        }
        try {
            for (Future<?> confirmed : sent) {
                confirmed.get();
            }
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed);
        }
        for (RecordChangeEvent<SourceRecord> each : batch) {
            committer.markProcessed(each);
        }
        committer.markBatchFinished();
    }
}
