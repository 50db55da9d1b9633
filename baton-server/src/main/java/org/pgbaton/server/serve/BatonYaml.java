package org.pgbaton.server.serve;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.server.command.NamedDatabase;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.server.config.ConfigFile;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.server.config.JsonSchema;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Kind;
import org.pgbaton.server.config.Problem;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.server.http.HttpConfig;
import org.pgbaton.server.notice.ChannelConfig;

/** The content of a {@code baton.yaml} without problems. Immutable. */
public final class BatonYaml {
    /** The file that is read if none is named. */
    private static final Path DEFAULT = Path.of("baton.yaml");

    private static final Key<Settings> DATABASE = Key.optional(
            "database",
            DatabaseConfig.SECTION.kind(),
            "The database; options and variables win over it. Without any, 'serve' demands --embedded.");

    private static final Key<Map<String, Settings>> DATABASES = Key.optional(
            "databases",
            DatabaseConfig.SECTION.byName(),
            "Several databases by name, in place of 'database'. Everything runs on each of them, unless it names some.");

    private static final Key<Settings> HTTP = Key.optional(
            "http", HttpConfig.SECTION.kind(), "Where health, metrics and the dashboard are served, and to whom.");

    private static final Key<List<Settings>> RELAYS =
            Key.optional("relays", onDatabases(RelayConfig.SECTION), "What is to be sent where.");
    private static final Key<List<Settings>> CAPTURES = Key.optional(
            "captures", onDatabases(CaptureConfig.SECTION), "Row changes that come from the WAL into a log.");
    private static final Key<List<Settings>> CHANNELS =
            Key.optional("channels", onDatabases(ChannelConfig.SECTION), "Who is told of row changes.");

    private static final Section FILE = Section.of("", DATABASE, DATABASES, HTTP, RELAYS, CAPTURES, CHANNELS)
            .atLeastOneOf(RELAYS, CAPTURES, CHANNELS)
            .check(BatonYaml::check);

    private final Path file;
    private final Settings settings;
    private final String databaseName;
    private final List<RelayConfig> relays;
    private final List<CaptureConfig> captures;
    private final List<ChannelConfig> channels;
    private final List<ChannelSubscription> channelSubscriptions;

    /** @param databaseName the database whose part of the file this is; empty for all of it */
    private BatonYaml(Path file, Settings settings, String databaseName) {
        this.file = file;
        this.settings = settings;
        this.databaseName = databaseName;
        this.relays =
                parts(RELAYS).map(each -> new RelayConfig(each, databaseName)).toList();
        this.captures = parts(CAPTURES).map(CaptureConfig::of).toList();
        this.channels = parts(CHANNELS).map(ChannelConfig::new).toList();
        this.channelSubscriptions = ChannelSubscription.of(captures, channels);
    }

    private static Kind<List<Settings>> onDatabases(Section section) {
        return section.and(List.of(DatabaseChecks.ON)).list();
    }

    private Stream<Settings> parts(Key<List<Settings>> key) {
        return settings.list(key).stream().filter(each -> DatabaseChecks.isOn(each, databaseName));
    }

    /**
     * @param chosen null means ./baton.yaml
     * @throws ConfigurationException with every problem the file has
     * @throws UsageException if there is no such file
     */
    public static BatonYaml read(@Nullable Path chosen, Map<String, String> environment) {
        if (chosen == null && !Files.exists(DEFAULT)) {
            throw new UsageException("There is no baton.yaml in this folder: name a configuration with -c FILE.");
        }
        Path file = chosen == null ? DEFAULT : chosen;
        return new BatonYaml(file, ConfigFile.read(file, FILE, environment), "");
    }

    static BatonYaml parse(String text, Path file, Map<String, String> environment) {
        return new BatonYaml(file, ConfigFile.parse(text, file, FILE, environment), "");
    }

    public static Map<String, Object> jsonSchema() {
        return JsonSchema.document(FILE, "baton.yaml");
    }

    private static void check(Settings settings) {
        if (List.of().equals(settings.find(RELAYS)) && !settings.has(CAPTURES) && !settings.has(CHANNELS)) {
            settings.problem(RELAYS, "'relays' is empty, so nothing would run: give at least one");
        }
        new NameChecks(settings.list(RELAYS), settings.list(CAPTURES), settings.list(CHANNELS)).check();
        checkDatabases(settings);
    }

    private static void checkDatabases(Settings settings) {
        if (settings.has(DATABASE) && settings.has(DATABASES)) {
            settings.problem(DATABASES, "'database' and 'databases' exclude each other: give one");
        }
        Map<String, Settings> databases = several(settings);
        DatabaseChecks checks = new DatabaseChecks(settings, databases);
        checks.checkEach();
        List<Settings> parts = Stream.of(RELAYS, CAPTURES, CHANNELS)
                .flatMap(key -> settings.list(key).stream())
                .toList();
        if (databases.isEmpty() && settings.has(DATABASES)) {
            return; // what is wrong with them was noted
        }
        parts.forEach(checks::checkNames);
        databases.forEach((name, database) -> {
            if (!parts.isEmpty() && parts.stream().noneMatch(part -> DatabaseChecks.isOn(part, name))) {
                settings.problem(
                        database.line(),
                        "nothing would run on " + database.title()
                                + ": name it in a relay, a capture or a channel, or leave it out");
            }
        });
    }

    private static Map<String, Settings> several(Settings settings) {
        Map<String, Settings> databases = settings.find(DATABASES);
        return databases == null ? Map.of() : databases;
    }

    /** The databases, if the file has a section for several; else none. */
    public List<NamedDatabase> databases() {
        List<NamedDatabase> all = new ArrayList<>();
        several(settings).forEach((name, database) -> {
            DatabaseConfig config = new DatabaseConfig(database);
            all.add(new NamedDatabase(
                    name, Objects.requireNonNull(config.url(), "url"), config.directUrl(), config.schema()));
        });
        return List.copyOf(all);
    }

    /** The part of the file that runs on one of its databases. */
    public BatonYaml on(NamedDatabase database) {
        return on(database.name());
    }

    /** The same part of the other file as this one is of its own. */
    public BatonYaml samePartOf(BatonYaml other) {
        return other.on(databaseName);
    }

    private BatonYaml on(String name) {
        return new BatonYaml(file, settings, name);
    }

    public Path file() {
        return file;
    }

    List<RelayConfig> relays() {
        return relays;
    }

    public List<CaptureConfig> captures() {
        return captures;
    }

    public List<ChannelConfig> channels() {
        return channels;
    }

    /** Which channels read which logs. */
    public List<ChannelSubscription> channelSubscriptions() {
        return channelSubscriptions;
    }

    /** The names of all subscriptions that relays and channels have in the database. */
    List<String> subscriptions() {
        return Stream.concat(
                        relays.stream().map(RelayConfig::subscription),
                        channelSubscriptions.stream().map(ChannelSubscription::subscription))
                .toList();
    }

    /** The sections that differ from those of the other file, and that a process reads only when it starts. */
    public List<String> restartNeededFor(BatonYaml other) {
        return Stream.of(DATABASE, DATABASES, HTTP)
                .filter(key -> !Settings.same(settings.find(key), other.settings.find(key)))
                .map(Key::name)
                .toList();
    }

    /** Null if the file names no database. */
    public @Nullable DatabaseUrl database() {
        Settings database = settings.find(DATABASE);
        return database == null ? null : new DatabaseConfig(database).url();
    }

    /** The same database without a pooler; null if the file does not say. */
    public @Nullable DatabaseUrl directDatabase() {
        Settings database = settings.find(DATABASE);
        return database == null ? null : new DatabaseConfig(database).directUrl();
    }

    public String schema() {
        Settings database = settings.find(DATABASE);
        return database == null ? SchemaName.DEFAULT.name() : new DatabaseConfig(database).schema();
    }

    public HttpConfig http() {
        return new HttpConfig(settings.find(HTTP));
    }

    /** For a database that turns out to be the same as another one of the file. */
    public ConfigurationException sameDatabase(String other) {
        Settings database = Objects.requireNonNull(several(settings).get(databaseName), databaseName);
        return wrong(List.of(new Problem(database.line(), DatabaseChecks.same(other, databaseName))));
    }

    /** For problems that only the database or the start shows. */
    ConfigurationException wrong(List<Problem> problems) {
        return new ConfigurationException(file.toString(), problems);
    }
}
