package org.pgbaton.database;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the database is: {@code jdbc:postgresql://…} or {@code postgres://…} (as libpq and most platforms write it),
 * with several hosts if need be. What the URL leaves open is taken from libpq's variables ({@code PGHOST},
 * {@code PGPORT}, {@code PGDATABASE}, {@code PGUSER}, {@code PGPASSWORD}, {@code PGSSLMODE}, …). The password can be in a
 * file, which is read anew for every connection so that a rotated secret is picked up.
 *
 * <pre>{@code
 * DatabaseUrl url = DatabaseUrl.parse("postgres://app@db-1,db-2/shop?target_session_attrs=primary")
 *         .passwordFile(Path.of("/run/secrets/db-password"));
 * }</pre>
 *
 * <p>Immutable. {@link #toString} never shows the password.
 */
public final class DatabaseUrl {
    private static final Map<String, String> LIBPQ_NAMES = Map.of(
            "application_name", "ApplicationName",
            "connect_timeout", "connectTimeout",
            "channel_binding", "channelBinding",
            "keepalives", "tcpKeepAlive");

    private static final Map<String, String> VARIABLES = Map.of(
            "PGUSER", "user",
            "PGPASSWORD", "password",
            "PGSSLMODE", "sslmode",
            "PGSSLROOTCERT", "sslrootcert",
            "PGSSLCERT", "sslcert",
            "PGSSLKEY", "sslkey",
            "PGCONNECT_TIMEOUT", "connectTimeout",
            "PGTARGETSESSIONATTRS", "target_session_attrs",
            "PGOPTIONS", "options");

    /** A name or an IPv4 address; or an IPv6 address, which may have a zone. */
    private static final Pattern HOST = Pattern.compile("[\\p{L}\\p{N}._-]+|\\[[0-9A-Fa-f:.]+(%[A-Za-z0-9._-]+)?\\]");

    private static final String IN_PASSWORDS =
            "a special character in user or password is written %40 for @, %2F for /, %3F for ?.";

    private final String hosts;
    private final String database;
    private final Map<String, String> properties;
    private final @Nullable Path passwordFile;

    private DatabaseUrl(String hosts, String database, Map<String, String> properties, @Nullable Path passwordFile) {
        this.hosts = hosts;
        this.database = database;
        this.properties = properties;
        this.passwordFile = passwordFile;
    }

    /**
     * Reads a URL.
     *
     * @throws IllegalArgumentException with a sentence that says which part is wrong
     */
    public static DatabaseUrl parse(String url) {
        return parse(url, System.getenv());
    }

    /** As {@link #parse(String)}, with the given variables in place of the environment's. */
    public static DatabaseUrl parse(String url, Map<String, String> environment) {
        String rest = withoutScheme(url);
        int question = rest.indexOf('?');
        Map<String, String> properties = new TreeMap<>();
        if (question >= 0) {
            if (rest.indexOf('@') > question) {
                throw new IllegalArgumentException(
                        "The database URL has a question mark before its @; in a password it is written %3F.");
            }
            readQuery(rest.substring(question + 1), properties);
            rest = rest.substring(0, question);
        }
        int at = rest.lastIndexOf('@');
        if (at >= 0) {
            readUserInfo(rest.substring(0, at), properties);
            rest = rest.substring(at + 1);
        }
        int slash = rest.indexOf('/');
        String hosts = slash < 0 ? rest : rest.substring(0, slash);
        String database = slash < 0 ? "" : decode(rest.substring(slash + 1));
        properties.values().removeIf(String::isEmpty);
        translate(properties);
        fromVariables(environment).forEach(properties::putIfAbsent);
        String defaultHost = orElse("", properties.remove("host"), environment.get("PGHOST"), "localhost");
        String defaultPort = orElse("", properties.remove("port"), environment.get("PGPORT"), "5432");
        hosts = complete(hosts.isEmpty() ? defaultHost : hosts, defaultHost, defaultPort);
        String user = properties.computeIfAbsent("user", u -> System.getProperty("user.name"));
        database = orElse(database, properties.remove("dbname"), environment.get("PGDATABASE"), user);
        return new DatabaseUrl(hosts, database, Map.copyOf(properties), null);
    }

    /** The same database, with the password in a file that is read at every connect. */
    public DatabaseUrl passwordFile(Path file) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new IllegalArgumentException("The password file " + file + " cannot be read.");
        }
        return new DatabaseUrl(hosts, database, properties, file);
    }

    /** The same place with another property of the driver, as long as the URL does not set it. */
    public DatabaseUrl withDefault(String property, String value) {
        Map<String, String> more = new LinkedHashMap<>(properties);
        more.putIfAbsent(property, value);
        return new DatabaseUrl(hosts, database, Map.copyOf(more), passwordFile);
    }

    /** For a connection that speaks the replication protocol, in which statements have no parameters. */
    public DatabaseUrl replicating() {
        Map<String, String> more = new LinkedHashMap<>(properties);
        more.putAll(Map.of("replication", "database", "preferQueryMode", "simple", "assumeMinServerVersion", "14"));
        return new DatabaseUrl(hosts, database, Map.copyOf(more), passwordFile);
    }

    /** The name of the database. */
    public String database() {
        return database;
    }

    /** The user that logs in. */
    public String user() {
        return properties.getOrDefault("user", "");
    }

    /** Whether the URL itself, or a variable, gives a password. */
    public boolean hasPassword() {
        return properties.containsKey("password");
    }

    /** {@code host:port}, several of them separated by commas. */
    public String hosts() {
        return hosts;
    }

    /** For the driver: hosts and database, without credentials. */
    public String jdbcUrl() {
        return "jdbc:postgresql://" + hosts + "/"
                + URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /**
     * The driver's properties, with the password as it is now.
     *
     * @throws SQLException if the password file cannot be read
     */
    public Properties connectionProperties() throws SQLException {
        Properties all = new Properties();
        properties.forEach(all::setProperty);
        Path file = passwordFile;
        if (file != null) {
            all.setProperty("password", readPassword(file));
        }
        return all;
    }

    /** Opens a new connection to this place each time. */
    public Connector connector() {
        return () -> DriverManager.getConnection(jdbcUrl(), connectionProperties());
    }

    @Override
    public String toString() {
        return "postgres://" + user() + "@" + hosts + "/" + database;
    }

    private static String withoutScheme(String url) {
        for (String scheme : new String[] {"jdbc:postgresql:", "postgresql:", "postgres:"}) {
            if (url.startsWith(scheme)) {
                String rest = url.substring(scheme.length());
                if (rest.startsWith("//")) {
                    return rest.substring(2);
                }
                return rest.startsWith("/") ? rest : "/" + rest;
            }
        }
        throw new IllegalArgumentException("The database URL starts with none of postgres://, postgresql:// and "
                + "jdbc:postgresql://; write for example postgres://user@localhost:5432/mydb.");
    }

    private static void readQuery(String query, Map<String, String> into) {
        for (String pair : query.split("&")) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                // Not shown: it may be the rest of a password.
                throw new IllegalArgumentException(
                        "The database URL has a parameter without a value; write name=value, and "
                                + "%3F for a question mark in a password.");
            }
            into.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
        }
    }

    private static void readUserInfo(String userInfo, Map<String, String> into) {
        int colon = userInfo.indexOf(':');
        into.put("user", decode(colon < 0 ? userInfo : userInfo.substring(0, colon)));
        if (colon >= 0) {
            into.put("password", decode(userInfo.substring(colon + 1)));
        }
    }

    private static Map<String, String> fromVariables(Map<String, String> environment) {
        Map<String, String> found = new TreeMap<>();
        VARIABLES.forEach((variable, property) -> {
            String value = environment.get(variable);
            if (value != null && !value.isEmpty()) {
                found.put(property, value);
            }
        });
        translate(found);
        return found;
    }

    /** libpq's parameter names to pgjdbc's. */
    private static void translate(Map<String, String> properties) {
        LIBPQ_NAMES.forEach((theirs, ours) -> {
            String value = properties.remove(theirs);
            if (value != null) {
                properties.putIfAbsent(ours, value);
            }
        });
        String wanted = properties.remove("target_session_attrs");
        if (wanted != null) {
            properties.putIfAbsent(
                    "targetServerType",
                    switch (wanted) {
                        case "read-write", "primary" -> "primary";
                        case "standby", "read-only" -> "secondary";
                        case "prefer-standby" -> "preferSecondary";
                        case "any" -> "any";
                        default ->
                            throw new IllegalArgumentException("target_session_attrs"
                                    + (wanted.matches("[\\w-]{1,40}") ? "=" + wanted : "")
                                    + " is unknown; use read-write, primary, standby, prefer-standby or any.");
                    });
        }
        if ("1".equals(properties.get("tcpKeepAlive"))) {
            properties.put("tcpKeepAlive", "true");
        }
    }

    /** Every host gets its port, every port its host, and an IPv6 address its brackets. */
    private static String complete(String hosts, String defaultHost, String defaultPort) {
        StringBuilder all = new StringBuilder();
        for (String each : hosts.split(",", -1)) {
            String host =
                    each.isEmpty() || (each.startsWith(":") && !each.startsWith("::")) ? defaultHost + each : each;
            if (host.startsWith("/") || host.startsWith("%2F")) {
                throw new IllegalArgumentException(
                        "The database host is a folder of Unix sockets, and Java's driver speaks TCP only; name a host.");
            }
            if (!host.startsWith("[") && host.indexOf(':') != host.lastIndexOf(':')) {
                host = "[" + host + "]";
            }
            boolean bare = host.startsWith("[") ? host.endsWith("]") : !host.contains(":");
            String whole = requirePort(bare ? host + ":" + defaultPort : host);
            all.append(all.isEmpty() ? "" : ",").append(requireHost(whole));
        }
        return all.toString();
    }

    private static String requirePort(String host) {
        String port = host.substring(host.lastIndexOf(':') + 1);
        if (port.matches("\\d{1,5}") && Integer.parseInt(port) >= 1 && Integer.parseInt(port) <= 65535) {
            return host;
        }
        // What is no number is not shown: it may be the rest of a password.
        throw new IllegalArgumentException("The database's port" + (port.matches("\\d{1,20}") ? " " + port : "")
                + " is not a number from 1 to 65535; " + IN_PASSWORDS);
    }

    /** The driver would not understand the URL, or another host than was meant. */
    private static String requireHost(String hostAndPort) {
        String host = hostAndPort.substring(0, hostAndPort.lastIndexOf(':'));
        if (HOST.matcher(host).matches()) {
            return hostAndPort;
        }
        // Not shown, as above.
        throw new IllegalArgumentException(
                "The database's host is neither a name nor an address such as 192.0.2.1 or [2001:db8::1]; "
                        + IN_PASSWORDS);
    }

    private static String orElse(String first, @Nullable String second, @Nullable String third, String last) {
        if (!first.isEmpty()) {
            return first;
        }
        if (second != null && !second.isEmpty()) {
            return second;
        }
        return third != null && !third.isEmpty() ? third : last;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException(
                    "The database URL has a '%' that starts no escape; write %25 for a percent sign.", malformed);
        }
    }

    private static String readPassword(Path file) throws SQLException {
        try {
            return Files.readString(file).replaceFirst("\\R\\z", "");
        } catch (IOException unreadable) {
            throw new SQLException("the password file " + file + " cannot be read", "08001", unreadable);
        }
    }
}
