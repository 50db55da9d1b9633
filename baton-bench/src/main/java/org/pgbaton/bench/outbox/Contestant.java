package org.pgbaton.bench.outbox;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program that takes messages to Kafka.
 *
 * @param settings shown in the report
 * @param module of {@code baton-bench/peers}; empty for a class of {@code baton-bench}
 * @param mainClass for {@link ContestantProgram}
 * @param options of that class, in addition to the addresses
 * @param outbox the table it relays from; none if it writes itself
 * @param backlog how much it gets to drain: as much as it manages in some seconds
 * @param when in which parts it takes part
 */
record Contestant(
        String name,
        String settings,
        Kind kind,
        String module,
        String mainClass,
        int processes,
        Map<String, String> options,
        @Nullable Outbox outbox,
        int backlog,
        When when) {
    enum Kind {
        LIMIT,
        /** Reads the outbox with Baton and publishes nothing. */
        READING,
        BATON,
        WAL,
        /** Polls, and wants to keep the order of each key. */
        ORDERED_POLLING,
        /** Polls, and does not promise an order. */
        POLLING
    }

    enum When {
        ALWAYS,
        /** Left out with {@code --quick}. */
        WITH_TIME,
        /** Only for latency: its settings make no difference to a backlog. */
        LATENCY,
        /** Only for a backlog, and left out with {@code --quick}. */
        DRAIN
    }

    static Contestant ours(
            String name, Kind kind, Class<?> mainClass, int processes, @Nullable Outbox outbox, int backlog) {
        return new Contestant(
                name, "", kind, "", mainClass.getName(), processes, Map.of(), outbox, backlog, When.ALWAYS);
    }

    static Contestant peer(
            String name, Kind kind, String module, String mainClass, @Nullable Outbox outbox, int backlog) {
        return new Contestant(
                name,
                "",
                kind,
                module,
                "org.pgbaton.bench.peers." + mainClass,
                1,
                Map.of(),
                outbox,
                backlog,
                When.ALWAYS);
    }

    /** Whether it is so much slower than others that one round says enough. */
    boolean isPolling() {
        return kind == Kind.ORDERED_POLLING || kind == Kind.POLLING;
    }

    boolean isExactlyOnce() {
        return Boolean.parseBoolean(options.get("exactlyOnce"));
    }

    Contestant with(String settingsShown, Map<String, String> ownOptions) {
        return new Contestant(
                name, settingsShown, kind, module, mainClass, processes, ownOptions, outbox, backlog, when);
    }

    Contestant only(When parts) {
        return new Contestant(name, settings, kind, module, mainClass, processes, options, outbox, backlog, parts);
    }
}
