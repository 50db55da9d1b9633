package org.pgbaton;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.pgbaton.checkpoint.LogCheck;
import org.pgbaton.checkpoint.UnsafeLog;
import org.pgbaton.database.BatonException;
import org.pgbaton.log.Logs;
import org.pgbaton.member.Member;
import org.pgbaton.session.BackgroundTasks;
import org.pgbaton.session.LineLogger;
import org.pgbaton.table.LogTable;
import org.slf4j.Logger;

/**
 * Looks after the logs that are read in this process: removes old rows that every subscription has passed, and notices when somebody has
 * changed what subscriptions rely on. Thread-safe.
 */
final class LogUpkeep {
    private static final Logger log = LineLogger.of(LogUpkeep.class);
    private static final Duration RETAIN_EVERY = Duration.ofSeconds(30);
    /** Somebody may change what we rely on at any time. */
    private static final Duration CHECK_EVERY = Duration.ofSeconds(3);

    private final Logs logs;
    private final LogCheck check;
    private final BackgroundTasks background;
    private final Supplier<List<Member>> members;
    private final BooleanSupplier closed;
    private final AtomicBoolean started = new AtomicBoolean();

    LogUpkeep(
            Logs logs,
            LogCheck check,
            BackgroundTasks background,
            Supplier<List<Member>> members,
            BooleanSupplier closed) {
        this.logs = logs;
        this.check = check;
        this.background = background;
        this.members = members;
        this.closed = closed;
    }

    /** Can be called again. */
    void start() {
        if (started.compareAndSet(false, true)) {
            background.later(this::retain, RETAIN_EVERY);
            background.later(this::check, CHECK_EVERY);
        }
    }

    private void check() {
        background.later(this::check, CHECK_EVERY);
        Map<String, List<UnsafeLog>> known = new HashMap<>();
        for (Member member : members.get()) {
            try {
                LogTable read = member.options().log();
                member.checked(known.computeIfAbsent(read.name(), name -> check.unsafe(read)));
            } catch (BatonException trouble) {
                log.debug("The log of {} could not be checked", member.options(), trouble);
            }
        }
    }

    private void retain() {
        background.later(this::retain, RETAIN_EVERY);
        members.get().stream()
                .map(member -> member.options().log().name())
                .distinct()
                .forEach(this::retain);
    }

    private void retain(String name) {
        try {
            while (!closed.getAsBoolean() && logs.retainOnce(name) > 0) {
                log.debug("Old rows of log '{}' are removed", name);
            }
        } catch (BatonException trouble) {
            log.warn("Old rows of log '{}' are not removed: {}", name, trouble.getMessage());
        }
    }
}
