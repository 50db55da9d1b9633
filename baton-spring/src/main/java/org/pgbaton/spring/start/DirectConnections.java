package org.pgbaton.spring.start;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.pgbaton.database.Connector;
import org.pgbaton.database.DatabaseUrl;

/**
 * Opens Baton's dedicated connections, straight to PostgreSQL and outside the pool. The address is asked for each time. Thread-safe.
 *
 * <p>A URL of another driver around PostgreSQL's, such as Testcontainers' {@code jdbc:tc:}, is handed to that driver as it is.
 */
public final class DirectConnections implements Connector {
    private static final Map<String, String> PATIENCE =
            Map.of("connectTimeout", "10", "loginTimeout", "15", "tcpKeepAlive", "true", "ApplicationName", "baton");

    private final DatabaseAddress address;
    private final Map<String, String> driverProperties;

    /**
     * To this address.
     *
     * @param driverProperties that the pool gives to the driver, such as {@code sslmode}; the URL's own win
     */
    public DirectConnections(DatabaseAddress address, Map<String, String> driverProperties) {
        this.address = address;
        this.driverProperties = new HashMap<>(PATIENCE);
        this.driverProperties.putAll(driverProperties);
    }

    @Override
    public Connection connect() throws SQLException {
        String url = required();
        return isPostgres(url) ? parsed(url).connector().connect() : byTheirDriver(url);
    }

    /** The address for captures, which speak the replication protocol; empty if the URL is not one of PostgreSQL's own driver. */
    public Optional<DatabaseUrl> url() {
        String url = required();
        return isPostgres(url) ? Optional.of(parsed(url)) : Optional.empty();
    }

    private String required() {
        String url = address.url();
        if (url == null || url.isBlank()) {
            throw new UnknownAddressException();
        }
        return url;
    }

    private static boolean isPostgres(String url) {
        return url.startsWith("jdbc:postgresql:") || url.startsWith("postgres:") || url.startsWith("postgresql:");
    }

    private DatabaseUrl parsed(String url) {
        Map<String, String> login = new HashMap<>();
        if (address.user() != null) {
            login.put("PGUSER", address.user());
        }
        if (address.password() != null) {
            login.put("PGPASSWORD", address.password());
        }
        DatabaseUrl parsed = DatabaseUrl.parse(url, login);
        for (Map.Entry<String, String> each : driverProperties.entrySet()) {
            parsed = parsed.withDefault(each.getKey(), each.getValue());
        }
        return parsed;
    }

    private Connection byTheirDriver(String url) throws SQLException {
        Properties properties = new Properties();
        driverProperties.forEach(properties::setProperty);
        if (address.user() != null) {
            properties.setProperty("user", address.user());
        }
        if (address.password() != null) {
            properties.setProperty("password", address.password());
        }
        return DriverManager.getConnection(url, properties);
    }
}
