package org.pgbaton.server.notice;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.server.publisher.Outlet;
import org.pgbaton.server.publisher.Retries;
import org.pgbaton.server.publisher.Target;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;

/** A channel as it is configured. Immutable. */
public final class ChannelConfig {
    /** Its name. */
    public static final Key<String> NAME = Key.required(
            "name",
            Scalar.form("a name of 1 to 100 letters, digits, '-' and '_'", "[A-Za-z0-9_-]{1,100}", text -> text),
            "How it is called here. Unique in the file.");

    private static final Key<String> SOURCE = Key.optional(
            "source",
            Scalar.name(),
            "A log of row changes to read, beside those of the captures that name this channel; for captures that run elsewhere.");
    private static final Key<Start> START = Key.optional(
            "start",
            Scalar.choice(starts()),
            "now",
            "Where it begins, the first time it runs on a log: now, or at the origin, with all that is still there.");
    private static final Key<List<Settings>> WHEN = Key.optional(
            "when",
            Rule.SECTION.list(),
            "Which changes it is about: a list of rules, of which one is enough. Default: all.");
    private static final Key<Duration> DIGEST = Key.optional(
            "digest",
            Scalar.time("1s", "1d"),
            "At most one notice for a key within this time, with all its changes. Default: a notice for each change.");
    private static final Key<Integer> WORKERS =
            Key.optional("workers", Scalar.whole(1, 1024), "4", "Batches at the same time, in each process.");

    private static final List<Choice> KINDS = Stream.of(
                    new WebhookChannelKind(),
                    new SlackChannelKind(),
                    new MailChannelKind(),
                    LineChannelKind.stdout(),
                    LineChannelKind.log())
            .map(Choice::of)
            .toList();

    /** Its keys. */
    public static final Section SECTION = Section.of("channel", NAME)
            .and(KINDS.stream().map(Choice::key).toList())
            .and(List.of(SOURCE, START, Templates.KEY, WHEN, DIGEST, RateLimit.KEY, WORKERS))
            .and(Retries.KEYS)
            .namedBy(NAME)
            .check(ChannelConfig::check);

    private record Choice(ChannelKind kind, Key<Settings> key) {
        static Choice of(ChannelKind kind) {
            Section section = Target.tried(
                    kind.section(),
                    kind.name(),
                    settings -> Outlet.of(new Channel(kind.open(settings, Templates.NONE), List.of(), null)));
            return new Choice(kind, Key.optional(kind.name(), section.kind(), kind.meaning()));
        }
    }

    private static Map<String, Start> starts() {
        Map<String, Start> starts = new LinkedHashMap<>();
        starts.put("now", Start.now());
        starts.put("origin", Start.origin());
        return starts;
    }

    private static void check(Settings settings) {
        List<Choice> given =
                KINDS.stream().filter(each -> settings.has(each.key)).toList();
        List<String> all = KINDS.stream().map(each -> each.key.name()).toList();
        if (given.isEmpty()) {
            settings.problem(
                    settings.line(),
                    "where " + settings.title() + " leads to is missing: give one of " + String.join(", ", all));
        } else if (given.size() > 1) {
            settings.problem(
                    settings.line(),
                    settings.title() + " must lead to exactly one, and here are " + given.size() + ": "
                            + String.join(
                                    ", ",
                                    given.stream().map(each -> each.key.name()).toList()));
        }
        Templates.Written template = settings.find(Templates.KEY);
        if (given.size() == 1 && template != null) {
            Templates.check(settings, template, given.get(0).kind);
        }
        List<Settings> rules = settings.find(WHEN);
        if (rules != null && rules.isEmpty()) {
            settings.problem(WHEN, "'when' in " + settings.title() + " is empty: leave it out for all changes");
        }
    }

    private final Settings settings;
    private final Choice choice;
    private volatile @Nullable String target;

    /** @param settings without problems */
    public ChannelConfig(Settings settings) {
        this.settings = settings;
        this.choice = KINDS.stream()
                .filter(each -> settings.has(each.key))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("a channel was read that leads nowhere"));
    }

    /** Whether the other is configured in the same way. */
    public boolean sameAs(ChannelConfig other) {
        return settings.sameAs(other.settings);
    }

    public String name() {
        return settings.get(NAME);
    }

    public int line() {
        return settings.line();
    }

    /** The log that the channel names; null if only captures name the channel. */
    public @Nullable String source() {
        return settings.find(SOURCE);
    }

    /** Also for a channel with problems. */
    public static boolean hasSource(Settings settings) {
        return settings.has(SOURCE);
    }

    /** webhook, slack, mail, stdout or log. */
    public String kind() {
        return choice.kind.name();
    }

    public @Nullable Duration digest() {
        return settings.find(DIGEST);
    }

    /** As it is written in the file; null if there is none. */
    public @Nullable String rateLimit() {
        RateLimit.Rate rate = settings.find(RateLimit.KEY);
        return rate == null ? null : rate.toString();
    }

    public int rules() {
        List<Settings> rules = settings.find(WHEN);
        return rules == null ? 0 : rules.size();
    }

    public String start() {
        return settings.get(START) instanceof Start.Now ? "now" : "origin";
    }

    /** Where notices are sent, for people; without secrets. */
    public String target() {
        String known = target;
        if (known != null) {
            return known; // a dashboard asks every second, and opening may start threads
        }
        try (Channel channel = open()) {
            String text = channel.target();
            target = text;
            return text;
        }
    }

    /** Does not connect yet. */
    public Channel open() {
        RateLimit.Rate rate = settings.find(RateLimit.KEY);
        List<Settings> rules = settings.find(WHEN);
        Templates templates = Templates.of(settings.find(Templates.KEY), choice.kind.escaping());
        return new Channel(
                choice.kind.open(settings.get(choice.key), templates),
                rules == null ? List.of() : rules.stream().map(Rule::new).toList(),
                rate == null ? null : new RateLimit(rate, System::nanoTime));
    }

    /** Subscribes to a log. The caller closes the subscription first, then the channel. */
    public Subscription start(Baton baton, String log, String subscription, Channel channel) {
        SubscriptionBuilder builder = baton.subscription(subscription)
                .on(log)
                .from(settings.get(START))
                .workers(settings.get(WORKERS));
        Retries.applyTo(builder, settings);
        Duration interval = digest();
        return interval == null
                ? builder.publish(channel).start()
                : builder.batch(Digest.MOST_CHANGES)
                        .reactToKeyBatches(new Digest(channel, interval, Instant::now, System::nanoTime))
                        .start();
    }
}
