package org.pgbaton.bench.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/**
 * The settings of Debezium's engine: a slot and a publication that exist already, offsets in a file, otherwise
 * defaults.
 */
final class EngineSettings {
    private EngineSettings() {}

    /** @param options {@code url}, {@code database}, and settings that begin with {@code debezium.} */
    static Properties of(Map<String, String> options, String slot, String publication, String table) {
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
        settings.put("slot.name", slot);
        settings.put("publication.name", publication);
        settings.put("publication.autocreate.mode", "disabled");
        settings.put("table.include.list", table);
        settings.put("snapshot.mode", "no_data");
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
}
