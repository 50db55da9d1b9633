package org.pgbaton.server.notice;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.pgbaton.log.Message;
import org.pgbaton.server.config.ConfigFile;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** Changes and channels, as a capture and a file would make them. */
final class RowChanges {
    private static final Key<Settings> CHANNEL = Key.required("channel", ChannelConfig.SECTION.kind(), "One.");
    private static final Section FILE = Section.of("", CHANNEL);

    private RowChanges() {}

    static Message message(String json) {
        return Message.unlogged(
                UUID.randomUUID(), "42", "public.alert.insert", json.getBytes(StandardCharsets.UTF_8), Instant.EPOCH);
    }

    static RowChange of(String json) {
        return RowChange.of(message(json));
    }

    static RowChange insert(String after) {
        return of("{\"table\":\"public.alert\",\"operation\":\"insert\",\"before\":null,\"after\":" + after
                + ",\"lsn\":\"0/16B3748\",\"committedAt\":\"2026-01-01T12:00:00.123456Z\"}");
    }

    static RowChange update(String before, String after) {
        return of("{\"table\":\"public.alert\",\"operation\":\"update\",\"before\":" + before + ",\"after\":" + after
                + ",\"unchanged\":[\"big\"]}");
    }

    static RowChange delete(String before) {
        return of("{\"table\":\"public.alert\",\"operation\":\"delete\",\"before\":" + before + ",\"after\":null}");
    }

    static RowChange truncate() {
        return of("{\"table\":\"public.alert\",\"operation\":\"truncate\",\"before\":null,\"after\":null}");
    }

    /** @param yaml what stands below the channel */
    static ChannelConfig channel(String yaml) {
        try {
            Path file = Files.createTempFile("channel", ".yaml");
            Files.writeString(file, "channel:\n" + ("name: ops\n" + yaml).indent(2));
            ChannelConfig config =
                    new ChannelConfig(ConfigFile.read(file, FILE, Map.of()).get(CHANNEL));
            Files.delete(file);
            return config;
        } catch (IOException trouble) {
            throw new UncheckedIOException(trouble);
        }
    }
}
