package org.pgbaton.server.publisher;

import java.time.Duration;
import java.util.List;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.subscription.SubscriptionBuilder;

/** The keys for attempts, pauses and time limits of a subscription that sends. */
public final class Retries {
    private static final Key<Integer> ATTEMPTS = Key.optional(
            "attempts", Scalar.whole(1, 1_000_000), "5", "After so many failures of one message its key is parked.");
    private static final Key<Duration> SHORTEST =
            Key.optional("shortest", Scalar.time("1ms", "1d"), "100ms", "The first pause; they double.");
    private static final Key<Duration> LONGEST =
            Key.optional("longest", Scalar.time("1ms", "1d"), "5m", "No pause is longer.");
    private static final Key<Settings> BACKOFF = Key.optional(
            "backoff",
            Section.of("backoff", SHORTEST, LONGEST)
                    .check(Retries::checkBackoff)
                    .kind(),
            "Pauses between the attempts at one message.");
    private static final Key<Duration> HANDLER_LIMIT = Key.optional(
            "handler-limit",
            Scalar.time("1ms", "1d"),
            "30s",
            "Sending one message may take so long, then it has failed.");
    private static final Key<Duration> SLOW_KEY = Key.optional(
            "slow-key",
            Scalar.time("1ms", "1d"),
            "1s",
            "A key that takes longer is set aside, so that others need not wait for it.");

    /** In the order in which problems and the JSON Schema name them. */
    public static final List<Key<?>> KEYS = List.of(ATTEMPTS, BACKOFF, HANDLER_LIMIT, SLOW_KEY);

    private Retries() {}

    private static void checkBackoff(Settings settings) {
        Duration shortest = settings.find(SHORTEST);
        Duration longest = settings.find(LONGEST);
        if (shortest != null && longest != null && longest.compareTo(shortest) < 0) {
            settings.problem(settings.line(), "'longest' in backoff is shorter than 'shortest'");
        }
    }

    /** @param settings of a section with the {@link #KEYS} */
    public static SubscriptionBuilder applyTo(SubscriptionBuilder builder, Settings settings) {
        builder.attempts(settings.get(ATTEMPTS))
                .handlerLimit(settings.get(HANDLER_LIMIT))
                .slowKey(settings.get(SLOW_KEY));
        Settings backoff = settings.find(BACKOFF);
        return backoff == null ? builder : builder.backoff(backoff.get(SHORTEST), backoff.get(LONGEST));
    }
}
