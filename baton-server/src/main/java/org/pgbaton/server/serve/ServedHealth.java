package org.pgbaton.server.serve;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureHealth;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.SubscriptionHealth;
import org.pgbaton.subscription.SubscriptionState;

/** How a relay, a channel or a capture of this process is doing, in the words of log lines and of {@code /readyz}. Immutable. */
sealed interface ServedHealth {
    enum Type {
        RELAY("Relay"),
        CHANNEL("Channel"),
        CAPTURE("Capture");

        private final String word;

        Type(String word) {
            this.word = word;
        }
    }

    Type type();

    String name();

    /** One word, such as "running". */
    String state();

    boolean isRunning();

    boolean isHealthy();

    /** A sentence or a part of one; null if there is no trouble. */
    @Nullable
    String trouble();

    /** Whether what it sends to was away the last time. */
    boolean isTargetAway();

    /** For {@code /readyz}. */
    Map<String, @Nullable Object> asMap();

    /** The begin of sentences: "Relay 'trades'". */
    default String title() {
        return type().word + " '" + name() + "'";
    }

    /**
     * A relay or a channel.
     *
     * @param name the relay's; of a channel that of its subscription
     */
    record OfSubscription(Type type, String name, SubscriptionHealth health) implements ServedHealth {
        @Override
        public String state() {
            return health.state().name().toLowerCase(Locale.ROOT);
        }

        @Override
        public boolean isRunning() {
            return health.state() == SubscriptionState.RUNNING;
        }

        @Override
        public boolean isHealthy() {
            return health.isHealthy();
        }

        @Override
        public @Nullable String trouble() {
            if (health.trouble() == null && !health.stuck().isEmpty()) {
                return Output.count(health.stuck().size(), "message") + " could not be sent within the limit";
            }
            return shortened(health.trouble());
        }

        @Override
        public boolean isTargetAway() {
            return health.targetAway();
        }

        @Override
        public Map<String, @Nullable Object> asMap() {
            return ServedHealth.asMap(this, "lanes", health.lanes());
        }
    }

    /** A capture. */
    record OfCapture(CaptureHealth health) implements ServedHealth {
        @Override
        public Type type() {
            return Type.CAPTURE;
        }

        @Override
        public String name() {
            return health.name();
        }

        @Override
        public String state() {
            if (health.reading()) {
                return "running";
            }
            return health.problem() == null ? "standby" : "suspended";
        }

        @Override
        public boolean isRunning() {
            return health.reading();
        }

        @Override
        public boolean isHealthy() {
            return health.isHealthy();
        }

        @Override
        public @Nullable String trouble() {
            return shortened(health.problem() == null ? health.warning() : health.problem());
        }

        @Override
        public boolean isTargetAway() {
            return false; // it sends nowhere
        }

        @Override
        public Map<String, @Nullable Object> asMap() {
            return ServedHealth.asMap(this, "reading", health.reading());
        }
    }

    private static @Nullable String shortened(@Nullable String trouble) {
        return trouble == null ? null : Output.shortened(trouble, 300);
    }

    /** @param share the name of what this process has of the work */
    private static Map<String, @Nullable Object> asMap(ServedHealth served, String share, Object value) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", served.name());
        map.put("state", served.state());
        map.put("healthy", served.isHealthy());
        map.put(share, value);
        map.put("trouble", served.trouble());
        return map;
    }
}
