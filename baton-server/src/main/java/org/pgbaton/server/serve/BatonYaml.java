package org.pgbaton.server.serve;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.server.config.ConfigFile;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.server.config.JsonSchema;
import org.pgbaton.server.config.Key;
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

    private static final Key<Settings> HTTP = Key.optional(
            "http", HttpConfig.SECTION.kind(), "Where health, metrics and the dashboard are served, and to whom.");

    private static final Key<List<Settings>> RELAYS =
            Key.optional("relays", RelayConfig.SECTION.list(), "What is to be sent where.");
    private static final Key<List<Settings>> CAPTURES =
            Key.optional("captures", CaptureConfig.SECTION.list(), "Row changes that come from the WAL into a log.");
    private static final Key<List<Settings>> CHANNELS =
            Key.optional("channels", ChannelConfig.SECTION.list(), "Who is told of row changes.");

    private static final Section FILE = Section.of("", DATABASE, HTTP, RELAYS, CAPTURES, CHANNELS)
            .atLeastOneOf(RELAYS, CAPTURES, CHANNELS)
            .check(BatonYaml::check);

    private final Path file;
    private final Settings settings;
    private final List<RelayConfig> relays;
    private final List<CaptureConfig> captures;
    private final List<ChannelConfig> channels;
    private final List<ChannelSubscription> channelSubscriptions;

    private BatonYaml(Path file, Settings settings) {
        this.file = file;
        this.settings = settings;
        this.relays = settings.list(RELAYS).stream().map(RelayConfig::new).toList();
        this.captures = settings.list(CAPTURES).stream().map(CaptureConfig::of).toList();
        this.channels = settings.list(CHANNELS).stream().map(ChannelConfig::new).toList();
        this.channelSubscriptions = ChannelSubscription.of(captures, channels);
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
        return new BatonYaml(file, ConfigFile.read(file, FILE, environment));
    }

    static BatonYaml parse(String text, Path file, Map<String, String> environment) {
        return new BatonYaml(file, ConfigFile.parse(text, file, FILE, environment));
    }

    static Map<String, Object> jsonSchema() {
        return JsonSchema.document(FILE, "baton.yaml");
    }

    private static void check(Settings settings) {
        if (List.of().equals(settings.find(RELAYS)) && !settings.has(CAPTURES) && !settings.has(CHANNELS)) {
            settings.problem(RELAYS, "'relays' is empty, so nothing would run: give at least one");
        }
        new NameChecks(settings.list(RELAYS), settings.list(CAPTURES), settings.list(CHANNELS)).check();
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
    List<String> restartNeededFor(BatonYaml other) {
        return Stream.of(DATABASE, HTTP)
                .filter(key -> !same(settings.find(key), other.settings.find(key)))
                .map(Key::name)
                .toList();
    }

    private static boolean same(@Nullable Settings one, @Nullable Settings other) {
        return (one == null || other == null) ? one == other : one.sameAs(other);
    }

    /** Null if the file names no database. */
    @Nullable
    DatabaseUrl database() {
        Settings database = settings.find(DATABASE);
        return database == null ? null : new DatabaseConfig(database).url();
    }

    /** The same database without a pooler; null if the file does not say. */
    @Nullable
    DatabaseUrl directDatabase() {
        Settings database = settings.find(DATABASE);
        return database == null ? null : new DatabaseConfig(database).directUrl();
    }

    String schema() {
        Settings database = settings.find(DATABASE);
        return database == null ? SchemaName.DEFAULT.name() : new DatabaseConfig(database).schema();
    }

    HttpConfig http() {
        return new HttpConfig(settings.find(HTTP));
    }

    /** For problems that only the database or the start shows. */
    ConfigurationException wrong(List<Problem> problems) {
        return new ConfigurationException(file.toString(), problems);
    }
}
