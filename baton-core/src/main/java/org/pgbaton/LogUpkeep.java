package org.pgbaton;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.pgbaton.checkpoint.LogCheck;
import org.pgbaton.checkpoint.UnsafeLog;
import org.pgbaton.database.BatonException;
import org.pgbaton.member.Member;
import org.pgbaton.session.BackgroundTasks;
import org.pgbaton.session.LineLogger;
import org.pgbaton.table.TableLogs;
import org.slf4j.Logger;

/**
 * Looks after the logs that are read in this process: removes old rows that every subscription has passed, and notices when somebody has
 * changed what subscriptions rely on. While nothing is to be done, the number of its statements does not depend on the number of logs.
 * Thread-safe.
 */
final class LogUpkeep {
    private static final Logger log = LineLogger.of(LogUpkeep.class);
    private static final Duration RETAIN_EVERY = Duration.ofSeconds(30);
    /** Somebody may change what we rely on at any time. */
    private static final Duration CHECK_EVERY = Duration.ofSeconds(3);

    private final TableLogs logs;
    private final LogCheck check;
    private final BackgroundTasks background;
    private final Supplier<List<Member>> members;
    private final BooleanSupplier closed;
    private final AtomicBoolean started = new AtomicBoolean();

    LogUpkeep(
            TableLogs logs,
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
        Map<String, List<Member>> readers = new HashMap<>();
        members.get()
                .forEach(
                        member -> readers.computeIfAbsent(member.options().log().name(), name -> new ArrayList<>())
                                .add(member));
        if (readers.isEmpty()) {
            return;
        }
        try {
            tell(readers, check.unsafe(readers.keySet()));
        } catch (BatonException one) {
            // A log that cannot be checked must not hide what is wrong with the others.
            readers.forEach(this::checkAlone);
        }
    }

    private void checkAlone(String name, List<Member> readers) {
        try {
            tell(Map.of(name, readers), check.unsafe(Set.of(name)));
        } catch (BatonException trouble) {
            log.debug("The log '{}' could not be checked", name, trouble);
        }
    }

    private static void tell(Map<String, List<Member>> readers, Map<String, List<UnsafeLog>> unsafe) {
        readers.forEach((name, some) -> some.forEach(member -> member.checked(unsafe.getOrDefault(name, List.of()))));
    }

    private void retain() {
        background.later(this::retain, RETAIN_EVERY);
        Set<String> read = new HashSet<>();
        members.get().forEach(member -> read.add(member.options().log().name()));
        if (!read.isEmpty()) {
            try {
                logs.withRetention(read).forEach(this::retain);
            } catch (BatonException trouble) {
                log.warn("Old rows are not removed: {}", trouble.getMessage());
            }
        }
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
