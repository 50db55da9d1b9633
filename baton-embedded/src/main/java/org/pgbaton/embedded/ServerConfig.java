package org.pgbaton.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgbaton.embedded.machine.FileTree;

/**
 * The files that tell a server how to run.
 *
 * <p>{@code postgresql.conf} stays as {@code initdb} wrote it and includes {@code baton.conf}, which is written anew
 * before every start. {@code ALTER SYSTEM} wins over both. Immutable.
 *
 * @param settings PostgreSQL's parameters, without the port
 * @param accessRules lines of {@code pg_hba.conf} that come before the usual ones
 */
record ServerConfig(Map<String, String> settings, List<String> accessRules) {

    /** The included file. */
    static final String FILE = "baton.conf";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.]*");

    private static final Pattern PORT = Pattern.compile("(?m)^port = '(\\d+)'$");

    private static final String FROM_THIS_MACHINE = """
            local all         all               %1$s
            host  all         all  127.0.0.1/32 %1$s
            host  all         all  ::1/128      %1$s
            local replication all               %1$s
            host  replication all  127.0.0.1/32 %1$s
            host  replication all  ::1/128      %1$s
            """;

    ServerConfig {
        settings.forEach(ServerConfig::check);
        accessRules.forEach(rule -> checkOneLine("The access rule", rule));
        settings = new LinkedHashMap<>(settings);
        accessRules = List.copyOf(accessRules);
    }

    /** Whether the data shall survive a power failure. */
    boolean isDurable() {
        return !"off".equals(settings.get("fsync"));
    }

    ServerConfig with(Map<String, String> further) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.putAll(further);
        return new ServerConfig(all, accessRules);
    }

    /**
     * For a replica of the server that has this configuration.
     *
     * @param port of that server
     * @param name of the replica, for {@code synchronous_standby_names}
     * @param further settings that the replica has differently
     */
    ServerConfig forReplica(int port, String name, Map<String, String> further) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(
                "primary_conninfo",
                "host=127.0.0.1 port=" + port + " user=postgres dbname=postgres application_name='"
                        + name.replace("\\", "\\\\").replace("'", "\\'") + "'");
        all.putAll(further);
        return with(all);
    }

    /** Lets a new data directory's {@code postgresql.conf} include ours. */
    static void include(Path dataDirectory) throws IOException {
        Files.writeString(
                dataDirectory.resolve("postgresql.conf"),
                "\ninclude_if_exists = '" + FILE + "'\n",
                StandardOpenOption.APPEND);
    }

    /** The port of the last start, if there was one. */
    static OptionalInt portOfLastStart(Path dataDirectory) throws IOException {
        Path file = dataDirectory.resolve(FILE);
        if (!Files.exists(file)) {
            return OptionalInt.empty();
        }
        Matcher port = PORT.matcher(Files.readString(file));
        return port.find() ? OptionalInt.of(Integer.parseInt(port.group(1))) : OptionalInt.empty();
    }

    /** @param guarded whether everybody needs a password */
    void write(Path dataDirectory, int port, boolean guarded) throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        // There is no Unix socket unless somebody wants one: its path may be at most 107 bytes long.
        all.put("unix_socket_directories", "");
        all.putAll(settings);
        all.put("listen_addresses", listenAddresses());
        all.put("port", Integer.toString(port));
        List<String> lines = new ArrayList<>();
        lines.add("# Written by Baton before every start. Changes belong into ALTER SYSTEM.");
        all.forEach((name, value) -> lines.add(name + " = '" + quoted(value) + "'"));
        replace(dataDirectory.resolve(FILE), String.join("\n", lines) + "\n");
        replace(
                dataDirectory.resolve("pg_hba.conf"),
                (accessRules.isEmpty() ? "" : String.join("\n", accessRules) + "\n")
                        + FROM_THIS_MACHINE.formatted(guarded ? "scram-sha-256" : "trust"));
    }

    /** Loopback is always among them, because that is where {@code jdbcUrl} points. */
    private String listenAddresses() {
        String wanted = settings.getOrDefault("listen_addresses", "").strip();
        if (wanted.isEmpty()) {
            return "127.0.0.1";
        }
        List<String> addresses = List.of(wanted.split("\\s*,\\s*"));
        boolean loopback = addresses.stream()
                .anyMatch(address ->
                        List.of("*", "0.0.0.0", "127.0.0.1", "localhost").contains(address));
        return loopback ? wanted : "127.0.0.1," + wanted;
    }

    private static void replace(Path file, String content) throws IOException {
        Path fresh = file.resolveSibling(FileTree.nameOf(file) + ".new");
        Files.write(fresh, content.getBytes(StandardCharsets.UTF_8));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String quoted(String value) {
        return value.replace("\\", "\\\\").replace("'", "''");
    }

    private static void check(String name, String value) {
        if (!NAME.matcher(name).matches()) {
            throw new EmbeddedPostgresException("\"" + name
                    + "\" cannot be the name of a PostgreSQL setting: use names such as \"max_connections\".");
        }
        if (name.equals("port")) {
            throw new EmbeddedPostgresException("The port is no entry of the settings (found port = \"" + value
                    + "\"): give it to port(int), or leave it out to get a free one.");
        }
        checkOneLine("The value of the setting " + name, value);
    }

    private static void checkOneLine(String what, String text) {
        if (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0) {
            throw new EmbeddedPostgresException(what + " has more than one line: \"" + text + "\"; give it in one.");
        }
    }
}
