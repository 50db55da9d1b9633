package org.pgbaton.server.serve;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.server.command.Suggestion;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.server.config.ConfigFile;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.server.config.JsonSchema;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Problem;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.server.notice.ChannelConfig;

/** The content of a {@code baton.yaml} without problems. Immutable. */
public final class BatonYaml {
    /** The file that is read if none is named. */
    private static final Path DEFAULT = Path.of("baton.yaml");

    // The URL is a secret, because it may contain a password.
    private static final Key<String> URL = Key.optional(
                    "url",
                    Scalar.text(),
                    "postgres://user@host:port/db or jdbc:postgresql://…; several hosts separated by commas.")
            .secret();
    private static final Key<String> USER = Key.optional("user", Scalar.text(), "The database's user.");
    private static final Key<String> PASSWORD =
            Key.optional("password", Scalar.text(), "The user's password.").secret();
    private static final Key<String> SCHEMA =
            Key.optional("schema", Scalar.name(), SchemaName.DEFAULT.name(), "The schema of Baton's tables.");
    private static final Key<Settings> DATABASE = Key.optional(
            "database",
            Section.of("database", URL, USER, PASSWORD, SCHEMA)
                    .check(BatonYaml::checkDatabase)
                    .kind(),
            "The database; options and variables win over it. Without any, 'serve' demands --embedded.");

    private static final Key<Integer> PORT =
            Key.optional("port", Scalar.whole(0, 65535), "0", "Serve /livez, /readyz and /metrics here; 0: not at all.");
    private static final Key<String> ADDRESS =
            Key.optional("address", Scalar.name(), "127.0.0.1", "The address to listen on; 0.0.0.0 for all of them.");
    private static final Key<Settings> HTTP =
            Key.optional("http", Section.of("http", PORT, ADDRESS).kind(), "Where health and metrics are served.");

    private static final Key<List<Settings>> RELAYS =
            Key.optional("relays", RelayConfig.SECTION.list(), "What is to be sent where.");
    private static final Key<List<Settings>> CAPTURES =
            Key.optional("captures", CaptureConfig.SECTION.list(), "Row changes that come from the WAL into a log.");
    private static final Key<List<Settings>> CHANNELS =
            Key.optional("channels", ChannelConfig.SECTION.list(), "Who is told of row changes.");

    private static final Section FILE = Section.of("", DATABASE, HTTP, RELAYS, CAPTURES, CHANNELS)
            .atLeastOneOf(RELAYS, CAPTURES, CHANNELS)
            .check(BatonYaml::checkNames)
            .check(BatonYaml::checkChannels);

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
     * @param chosen null: ./baton.yaml
     * @throws ConfigurationException with every problem the file has
     * @throws UsageException if there is none
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

    private static void checkNames(Settings settings) {
        List<Settings> relays = settings.find(RELAYS);
        if (relays != null && relays.isEmpty() && !settings.has(CAPTURES) && !settings.has(CHANNELS)) {
            settings.problem(RELAYS, "'relays' is empty, so nothing would run: give at least one");
        }
        Map<String, Integer> subscriptions = new HashMap<>();
        refuseTwice(settings.list(RELAYS), "relay name", RelayConfig.NAME, each -> each.find(RelayConfig.NAME), new HashMap<>());
        refuseTwice(settings.list(RELAYS), "subscription", RelayConfig.SUBSCRIPTION, RelayConfig::subscription, subscriptions);
        refuseTwice(
                settings.list(CAPTURES),
                "capture name",
                CaptureConfig.NAME,
                each -> each.find(CaptureConfig.NAME),
                new HashMap<>());
        refuseTwice(
                settings.list(CHANNELS),
                "channel name",
                ChannelConfig.NAME,
                each -> each.find(ChannelConfig.NAME),
                new HashMap<>());
        // A relay may have the same name as the subscription of a channel.
        for (Settings capture : settings.list(CAPTURES)) {
            for (String channel : channelsOf(capture)) {
                String subscription = capture.find(CaptureConfig.NAME) + "-" + channel;
                Integer before = subscriptions.get(subscription);
                if (before != null) {
                    capture.problem(
                            CaptureConfig.CHANNELS,
                            "subscription '" + subscription + "' is given twice, first in line " + before);
                }
            }
        }
    }

    private static List<String> channelsOf(Settings capture) {
        List<String> names = capture.find(CaptureConfig.CHANNELS);
        return names == null ? List.of() : names;
    }

    /** Two subscriptions with one name would share the messages, so that each target would miss some. */
    private static void refuseTwice(
            List<Settings> parts,
            String what,
            Key<String> key,
            Function<Settings, @Nullable String> value,
            Map<String, Integer> lines) {
        for (Settings each : parts) {
            String given = value.apply(each);
            Integer before = given == null || given.isEmpty() ? null : lines.putIfAbsent(given, each.line(key));
            boolean isNameAgain = key == RelayConfig.SUBSCRIPTION && !each.has(key);
            if (before != null && !isNameAgain) {
                each.problem(key, what + " '" + given + "' is given twice, first in line " + before);
            }
        }
    }

    /** Every channel that a capture names must exist, and a channel without a source must be named by a capture. */
    private static void checkChannels(Settings settings) {
        List<Settings> channels = settings.list(CHANNELS);
        List<String> known = channels.stream()
                .map(each -> each.find(ChannelConfig.NAME))
                .filter(Objects::nonNull)
                .toList();
        Set<String> named = new HashSet<>();
        for (Settings capture : settings.list(CAPTURES)) {
            for (String name : channelsOf(capture)) {
                if (!known.contains(name)) {
                    capture.problem(
                            CaptureConfig.CHANNELS,
                            "there is no channel '" + name + "' for " + capture.title()
                                    + Suggestion.nearest(name, known)
                                            .map(near -> ": did you mean '" + near + "'?")
                                            .orElse(": describe it under 'channels'"));
                } else if (!named.add(capture.find(CaptureConfig.NAME) + "-" + name)) {
                    capture.problem(
                            CaptureConfig.CHANNELS, "channel '" + name + "' is named twice by " + capture.title());
                }
            }
        }
        for (Settings channel : channels) {
            String name = channel.find(ChannelConfig.NAME);
            if (name == null || ChannelConfig.hasSource(channel)) {
                continue;
            }
            boolean isNamed = settings.list(CAPTURES).stream()
                    .anyMatch(each -> channelsOf(each).contains(name));
            if (!isNamed) {
                channel.problem(
                        channel.line(),
                        channel.title()
                                + " is named by no capture, so nothing would go there: name it under 'channels' of one, or "
                                + "give it a 'source'");
            }
        }
    }

    private static void checkDatabase(Settings settings) {
        String schema = settings.find(SCHEMA);
        if (schema != null) {
            check(settings, SCHEMA, () -> new SchemaName(schema));
        }
        String url = settings.find(URL);
        if (url != null) {
            check(settings, URL, () -> DatabaseUrl.parse(url, Map.of()));
            checkGivenOnce(settings, url.replaceFirst("\\?.*", "").replaceFirst("^[a-z:]*//", ""));
        } else if (!settings.has(URL)) {
            Stream.of(USER, PASSWORD)
                    .filter(settings::has)
                    .forEach(key -> settings.problem(key, "'" + key + "' in database needs 'url' beside it"));
        }
    }

    private static void checkGivenOnce(Settings settings, String url) {
        String userInfo = url.contains("@") ? url.substring(0, url.lastIndexOf('@')) : "";
        if (!userInfo.isEmpty() && settings.has(USER)) {
            settings.problem(USER, "the URL in database names a user already: give it once");
        }
        if (userInfo.contains(":") && settings.has(PASSWORD)) {
            settings.problem(PASSWORD, "the URL in database has a password already: give it once");
        }
    }

    private static void check(Settings settings, Key<?> key, Runnable parser) {
        try {
            parser.run();
        } catch (IllegalArgumentException wrong) {
            settings.problem(key, Problem.within(String.valueOf(wrong.getMessage())));
        }
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

    /** Null if the file names no database. */
    @Nullable
    DatabaseUrl database() {
        Settings database = settings.find(DATABASE);
        String url = database == null ? null : database.find(URL);
        if (database == null || url == null) {
            return null;
        }
        // As parameters, which take precedence over libpq's variables.
        StringBuilder whole = new StringBuilder(url);
        append(whole, "user", database.find(USER));
        Path passwordFile = database.file(PASSWORD);
        if (passwordFile != null) {
            return DatabaseUrl.parse(whole.toString()).passwordFile(passwordFile); // read again at every connect
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
        Settings database = settings.find(DATABASE);
        return database == null ? SchemaName.DEFAULT.name() : database.get(SCHEMA);
    }

    /** 0 if there are no pages. */
    int httpPort() {
        Settings http = settings.find(HTTP);
        return http == null ? 0 : http.get(PORT);
    }

    String httpAddress() {
        Settings http = settings.find(HTTP);
        String address = http == null ? ADDRESS.standard() : http.get(ADDRESS);
        return String.valueOf(address);
    }

    /** For problems that only the database or the start shows. */
    ConfigurationException wrong(List<Problem> problems) {
        return new ConfigurationException(file.toString(), problems);
    }
}
