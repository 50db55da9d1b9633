package org.pgbaton.server.serve;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Problem;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** A database as it is configured: the section {@code database} of a file, or one entry of {@code databases}. Immutable. */
final class DatabaseConfig {
    // The URL is a secret, because it may contain a password.
    static final Key<String> URL = Key.optional(
                    "url",
                    Scalar.text(),
                    "postgres://user@host:port/db or jdbc:postgresql://…; several hosts separated by commas.")
            .secret();
    private static final Key<String> DIRECT_URL = Key.optional(
                    "direct-url",
                    Scalar.text(),
                    "The same database without a pooler in between, for sessions and captures. Default: the URL.")
            .secret();
    private static final Key<String> USER = Key.optional("user", Scalar.text(), "The database's user.");
    private static final Key<String> PASSWORD =
            Key.optional("password", Scalar.text(), "The user's password.").secret();
    private static final Key<String> SCHEMA =
            Key.optional("schema", Scalar.name(), SchemaName.DEFAULT.name(), "The schema of Baton's tables.");

    static final Section SECTION =
            Section.of("database", URL, DIRECT_URL, USER, PASSWORD, SCHEMA).check(DatabaseConfig::check);

    private final Settings settings;

    /** @param settings without problems */
    DatabaseConfig(Settings settings) {
        this.settings = settings;
    }

    private static void check(Settings settings) {
        String schema = settings.find(SCHEMA);
        if (schema != null) {
            checkParses(settings, SCHEMA, () -> new SchemaName(schema));
        }
        String direct = settings.find(DIRECT_URL);
        if (direct != null) {
            checkParses(settings, DIRECT_URL, () -> DatabaseUrl.parse(direct, Map.of()));
        }
        String url = settings.find(URL);
        if (url != null) {
            checkParses(settings, URL, () -> DatabaseUrl.parse(url, Map.of()));
            checkGivenOnce(settings, url.replaceFirst("\\?.*", "").replaceFirst("^[a-z:]*//", ""));
        } else if (!settings.has(URL)) {
            Stream.of(DIRECT_URL, USER, PASSWORD)
                    .filter(settings::has)
                    .forEach(key ->
                            settings.problem(key, "'" + key + "' in " + settings.title() + " needs 'url' beside it"));
        }
    }

    private static void checkGivenOnce(Settings settings, String url) {
        String userInfo = url.contains("@") ? url.substring(0, url.lastIndexOf('@')) : "";
        if (!userInfo.isEmpty() && settings.has(USER)) {
            settings.problem(USER, "the URL in " + settings.title() + " names a user already: give it once");
        }
        if (userInfo.contains(":") && settings.has(PASSWORD)) {
            settings.problem(PASSWORD, "the URL in " + settings.title() + " has a password already: give it once");
        }
    }

    private static void checkParses(Settings settings, Key<?> key, Runnable parser) {
        try {
            parser.run();
        } catch (IllegalArgumentException wrong) {
            settings.problem(key, Problem.within(String.valueOf(wrong.getMessage())));
        }
    }

    /** Null if the section names no database. */
    @Nullable
    DatabaseUrl url() {
        String url = settings.find(URL);
        return url == null ? null : login(url);
    }

    /** For sessions, if that is another address; else null. */
    @Nullable
    DatabaseUrl directUrl() {
        String url = settings.find(DIRECT_URL);
        return url == null ? null : login(url);
    }

    private DatabaseUrl login(String url) {
        // As parameters, which take precedence over libpq's variables.
        StringBuilder whole = new StringBuilder(url);
        append(whole, "user", settings.find(USER));
        Path passwordFile = settings.file(PASSWORD);
        if (passwordFile != null) {
            return DatabaseUrl.parse(whole.toString()).passwordFile(passwordFile); // read again at every connect
        }
        append(whole, "password", settings.find(PASSWORD));
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
        return settings.get(SCHEMA);
    }
}
