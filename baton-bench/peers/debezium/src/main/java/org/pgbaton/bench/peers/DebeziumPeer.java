package org.pgbaton.bench.peers;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Debezium's engine with its outbox event router, to a producer: a batch is sent at once, and marked as processed when all of it is
 * confirmed. The slot and the publication are there already.
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
        URI address = URI.create(options.get("url").substring("jdbc:".length()));
        Properties settings = new Properties();
        settings.put("name", "bench");
        settings.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        settings.put("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
        settings.put("offset.storage.file.filename", offsets().toString());
        settings.put("topic.prefix", "bench");
        settings.put("database.hostname", address.getHost());
        settings.put("database.port", Integer.toString(address.getPort()));
        settings.put("database.dbname", options.get("database"));
        settings.put("database.user", "postgres");
        settings.put("database.password", "none");
        settings.put("plugin.name", "pgoutput");
        settings.put("slot.name", "bench_" + options.get("database"));
        settings.put("publication.name", "dbz_publication");
        settings.put("publication.autocreate.mode", "disabled");
        settings.put("table.include.list", "public.outboxevent");
        settings.put("snapshot.mode", "no_data");
        settings.put("transforms", "outbox");
        settings.put("transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter");
        options.forEach((name, value) -> {
            if (name.startsWith("debezium.")) {
                settings.put(name.substring("debezium.".length()), value);
            }
        });
        return settings;
    }

    private static Path offsets() {
        try {
            Path file = Files.createTempFile("baton-bench-", ".offsets");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException full) {
            throw new UncheckedIOException(full);
        }
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
