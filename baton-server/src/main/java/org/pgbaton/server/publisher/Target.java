package org.pgbaton.server.publisher;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Problem;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** A target as it is configured. Immutable, thread-safe. */
public final class Target {
    private static final List<Choice> ALL = Stream.of(
                    new WebhookTargetKind(),
                    new KafkaTargetKind(),
                    new RabbitTargetKind(),
                    new NatsTargetKind(),
                    new StdoutTargetKind())
            .map(Choice::of)
            .toList();

    /** Has exactly one key, which names the kind of target. */
    public static final Section SECTION =
            Section.oneOf("target", ALL.stream().map(Choice::key).toList());

    private static final Pattern CALL = Pattern.compile("\\b([a-z]+[A-Za-z]*)\\((\\.\\.\\.|true|false)\\)");

    private final TargetKind kind;
    private final Settings settings;
    private final String database;
    private volatile @Nullable String text;

    private Target(TargetKind kind, Settings settings, String database) {
        this.kind = kind;
        this.settings = settings;
        this.database = database;
    }

    private record Choice(TargetKind kind, Key<Settings> key) {
        static Choice of(TargetKind kind) {
            Section section = tried(kind.section(), kind.name(), kind::open);
            return new Choice(kind, Key.optional(kind.name(), section.kind(), kind.meaning()));
        }
    }

    /** Adds a check that makes the publisher once, because the publisher refuses settings that make no sense together. */
    public static Section tried(Section section, String name, Function<Settings, Outlet> open) {
        return section.check(settings -> {
            if (settings.isWhole()) {
                tryOut(settings, name, open);
            }
        });
    }

    private static void tryOut(Settings settings, String name, Function<Settings, Outlet> open) {
        try {
            open.apply(settings).close();
        } catch (IllegalArgumentException refused) {
            String sentence = asInTheFile(String.valueOf(refused.getMessage()));
            settings.problem(settings.line(), name + ": " + Problem.within(sentence));
        }
    }

    /** Messages of publishers name builder methods, such as allowPrivate(true). This turns them into keys of the file: 'allow-private: true'. */
    private static String asInTheFile(String sentence) {
        String settings = CALL.matcher(sentence).replaceAll(call -> {
            String key = call.group(1).replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            return "'" + key + (call.group(2).matches("\\w+") ? ": " + call.group(2) : "") + "'";
        });
        return settings.replace("header(\"Authorization\", …)", "'headers'");
    }

    /**
     * @param settings of {@link #SECTION}, without problems
     * @param database the name of the database that publishes, if the file has several; else empty
     */
    public static Target of(Settings settings, String database) {
        Choice choice = ALL.stream()
                .filter(each -> settings.has(each.key()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("a target was read that has none"));
        return new Target(choice.kind(), settings.get(choice.key()), database);
    }

    /** The name of the database that publishes, if the file has several; else empty. */
    public String database() {
        return database;
    }

    /** Does not connect yet. */
    public Outlet open() {
        return database.isEmpty() ? kind.open(settings) : kind.open(settings, database);
    }

    /** Where messages go, for people; without secrets. */
    @Override
    public String toString() {
        String known = text;
        if (known != null) {
            return known; // a dashboard asks every second, and opening may start threads
        }
        try (Outlet outlet = open()) {
            String target = outlet.target();
            text = target;
            return target;
        }
    }
}
