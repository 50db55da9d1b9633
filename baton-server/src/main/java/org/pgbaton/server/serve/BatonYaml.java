package org.pgbaton.server.serve;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.server.config.ConfigFile;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.server.config.JsonSchema;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Kind;
import org.pgbaton.server.config.Part;
import org.pgbaton.server.config.Problem;
import org.pgbaton.server.config.Section;

/** {@code baton.yaml}: read, and found right. Immutable. */
final class BatonYaml {
    /** Where it is looked for if nobody names one. */
    static final Path DEFAULT = Path.of("baton.yaml");

    // The URL is as secret as the password that may be in it.
    private static final Key<String> URL = Key.optional(
                    "url",
                    Kind.text(),
                    "postgres://user@host:port/db or jdbc:postgresql://…; several hosts separated by commas.")
            .secret();
    private static final Key<String> USER = Key.optional("user", Kind.text(), "The database's user.");
    private static final Key<String> PASSWORD =
            Key.optional("password", Kind.text(), "The user's password.").secret();
    private static final Key<String> SCHEMA =
            Key.optional("schema", Kind.name(), SchemaName.DEFAULT.name(), "The schema of Baton's tables.");
    private static final Key<Part> DATABASE = Key.optional(
            "database",
            Section.of("database", URL, USER, PASSWORD, SCHEMA)
                    .check(BatonYaml::checkDatabase)
                    .kind(),
            "The database; options and variables win over it. Without any: an embedded PostgreSQL.");

    private static final Key<Integer> PORT =
            Key.optional("port", Kind.whole(0, 65535), "0", "Serve /livez, /readyz and /metrics here; 0: not at all.");
    private static final Key<String> ADDRESS =
            Key.optional("address", Kind.name(), "127.0.0.1", "The address to listen on; 0.0.0.0 for all of them.");
    private static final Key<Part> HTTP =
            Key.optional("http", Section.of("http", PORT, ADDRESS).kind(), "Where health and metrics are served.");

    private static final Key<List<Part>> RELAYS =
            Key.required("relays", Relay.SECTION.list(), "What is to be sent where.");

    private static final Section FILE = Section.of("", DATABASE, HTTP, RELAYS).check(BatonYaml::checkRelays);

    private final Path file;
    private final Part part;
    private final List<Relay> relays;

    private BatonYaml(Path file, Part part) {
        this.file = file;
        this.part = part;
        this.relays = part.get(RELAYS).stream().map(Relay::new).toList();
    }

    /** @throws ConfigurationException with every problem the file has */
    static BatonYaml read(Path file, Map<String, String> environment) {
        return new BatonYaml(file, ConfigFile.read(file, FILE, environment));
    }

    static Map<String, Object> jsonSchema() {
        return JsonSchema.document(FILE, "baton.yaml");
    }

    private static void checkRelays(Part part) {
        List<Part> relays = part.find(RELAYS);
        if (relays == null) {
            return;
        }
        if (relays.isEmpty()) {
            part.problem(RELAYS, "'relays' is empty, so nothing would run: give at least one");
        }
        refuseTwice(relays, "relay name", Relay.NAME, each -> each.find(Relay.NAME));
        refuseTwice(relays, "subscription", Relay.SUBSCRIPTION, Relay::subscription);
    }

    /** Two relays with one subscription would share its messages, and each target would miss some. */
    private static void refuseTwice(
            List<Part> relays, String what, Key<String> key, Function<Part, @Nullable String> value) {
        Map<String, Integer> lines = new HashMap<>();
        for (Part relay : relays) {
            String given = value.apply(relay);
            Integer before = given == null || given.isEmpty() ? null : lines.putIfAbsent(given, relay.line(key));
            boolean isNameAgain = key == Relay.SUBSCRIPTION && !relay.has(key);
            if (before != null && !isNameAgain) {
                relay.problem(key, what + " '" + given + "' is given twice, first in line " + before);
            }
        }
    }

    private static void checkDatabase(Part part) {
        String schema = part.find(SCHEMA);
        if (schema != null) {
            check(part, SCHEMA, () -> new SchemaName(schema));
        }
        String url = part.find(URL);
        if (url != null) {
            check(part, URL, () -> DatabaseUrl.parse(url, Map.of()));
            checkGivenOnce(part, url.replaceFirst("\\?.*", "").replaceFirst("^[a-z:]*//", ""));
        } else if (!part.has(URL)) {
            Stream.of(USER, PASSWORD)
                    .filter(part::has)
                    .forEach(key -> part.problem(key, "'" + key + "' in database needs 'url' beside it"));
        }
    }

    private static void checkGivenOnce(Part part, String url) {
        String userInfo = url.contains("@") ? url.substring(0, url.lastIndexOf('@')) : "";
        if (!userInfo.isEmpty() && part.has(USER)) {
            part.problem(USER, "the URL in database names a user already: give it once");
        }
        if (userInfo.contains(":") && part.has(PASSWORD)) {
            part.problem(PASSWORD, "the URL in database has a password already: give it once");
        }
    }

    private static void check(Part part, Key<?> key, Runnable parser) {
        try {
            parser.run();
        } catch (IllegalArgumentException wrong) {
            part.problem(key, Problem.within(String.valueOf(wrong.getMessage())));
        }
    }

    Path file() {
        return file;
    }

    List<Relay> relays() {
        return relays;
    }

    /** Null if the file names no database. */
    @Nullable
    DatabaseUrl database() {
        Part database = part.find(DATABASE);
        String url = database == null ? null : database.find(URL);
        if (database == null || url == null) {
            return null;
        }
        // As parameters, so that they win over libpq's variables.
        StringBuilder whole = new StringBuilder(url);
        append(whole, "user", database.find(USER));
        Path passwordFile = database.file(PASSWORD);
        if (passwordFile != null) {
            return DatabaseUrl.parse(whole.toString()).passwordFile(passwordFile); // read anew at every connect
        }
        append(whole, "password", database.find(PASSWORD));
        return DatabaseUrl.parse(whole.toString());
    }

    private static void append(StringBuilder url, String name, @Nullable String value) {
        if (value != null) {
            url.append(url.indexOf("?") < 0 ? '?' : '&')
                    .append(name)
                    .append('=')
                    .append(URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20"));
        }
    }

    String schema() {
        Part database = part.find(DATABASE);
        return database == null ? SchemaName.DEFAULT.name() : database.get(SCHEMA);
    }

    /** 0: none. */
    int httpPort() {
        Part http = part.find(HTTP);
        return http == null ? 0 : http.get(PORT);
    }

    String httpAddress() {
        Part http = part.find(HTTP);
        String address = http == null ? ADDRESS.standard() : http.get(ADDRESS);
        return String.valueOf(address);
    }

    /** A problem that only the database knows of. */
    ConfigurationException wrong(List<Problem> problems) {
        return new ConfigurationException(file.toString(), problems);
    }
}
