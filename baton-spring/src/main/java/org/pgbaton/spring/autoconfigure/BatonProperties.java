package org.pgbaton.spring.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.SchemaName;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code baton.*}. Bad values fail the start, with Boot's own report.
 *
 * @param enabled Whether Baton is set up at all.
 * @param schema The schema that holds Baton's tables.
 * @param migrate Whether to create the schema, or bring it up to date, at start. Otherwise it is only checked.
 * @param lease How long a process that froze or lost its network keeps its part of subscriptions. At least 2 s.
 * @param name How others see this process, in status, logs and application_name. Default: host and process id.
 * @param outbox The log behind the Outbox bean.
 * @param events The log behind the EventLog bean.
 * @param datasource A direct address of the database.
 * @param listeners Methods with @BatonListener.
 * @param relays Relays: publisher beans with @BatonRelay, and those under baton.relays.NAME.
 * @param start What to do about a database that is not there when the application starts.
 */
@ConfigurationProperties("baton")
public record BatonProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("baton") String schema,
        @DefaultValue("true") boolean migrate,
        @DefaultValue("10s") Duration lease,
        @Nullable String name,
        @DefaultValue("outbox") String outbox,
        @DefaultValue("events") String events,
        @DefaultValue Direct datasource,
        @DefaultValue Listeners listeners,
        @DefaultValue Relays relays,
        @DefaultValue Start start) {
    /** Checks what can be checked without the database. */
    public BatonProperties {
        var unused = new SchemaName(schema);
        if (lease.compareTo(Duration.ofSeconds(2)) < 0 || lease.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(
                    "baton.lease cannot be " + lease.toMillis() + " ms: give 2s to 1d (default 10s).");
        }
        if (name != null && (name.isBlank() || name.length() > 100)) {
            throw new IllegalArgumentException("baton.name cannot be '" + name.substring(0, Math.min(40, name.length()))
                    + "': give 1 to 100 characters (default: host and process id).");
        }
    }

    /**
     * A direct address of the database, for the connections that must not go through a pooler. Default: where the DataSource connects to.
     *
     * @param url The address, straight to PostgreSQL: jdbc:postgresql://… or postgres://….
     * @param username The user. Default: the one of the DataSource.
     * @param password The password. Default: the one of the DataSource.
     */
    public record Direct(
            @Nullable String url,
            @Nullable String username,
            @Nullable String password) {
        @Override
        public String toString() {
            return "baton.datasource"; // without its secrets
        }
    }

    /**
     * Methods with @BatonListener.
     *
     * @param enabled Whether they are started in this process.
     */
    public record Listeners(@DefaultValue("true") boolean enabled) {}

    /**
     * Publisher beans with @BatonRelay, and those under baton.relays.NAME, which {@link org.pgbaton.spring.relay.RelayProperties} describes.
     *
     * @param enabled Whether they publish in this process. Otherwise that is left to others, such as 'baton serve'.
     */
    public record Relays(@DefaultValue("true") boolean enabled) {}

    /**
     * What to do about a database that is not there when the application starts.
     *
     * @param waitForDatabase How long the start waits for a database that cannot be reached yet.
     * @param requireDatabase Whether the start fails if the database cannot be reached. Otherwise Baton starts when it can be.
     */
    public record Start(
            @DefaultValue("0s") Duration waitForDatabase,
            @DefaultValue("true") boolean requireDatabase) {
        /** Checks the values. */
        public Start {
            if (waitForDatabase.isNegative()) {
                throw new IllegalArgumentException(
                        "baton.start.wait-for-database cannot be negative: give 0s or more.");
            }
        }
    }
}
