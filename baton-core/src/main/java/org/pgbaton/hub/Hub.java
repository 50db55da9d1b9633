package org.pgbaton.hub;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Lease;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Session;
import org.pgbaton.table.LogTable;
import org.slf4j.Logger;

/**
 * Watches the logs for one process, on one connection and one thread, and tells its {@linkplain Watcher watchers}.
 *
 * <pre>
 *   AWAKE ── nothing new for the linger, nothing held back ──► takes the doorbells it can get, looks once more
 *     ▲                                                                │ nothing new
 *     └──── rung, stirred, or the look of every second found something ─┴─ ASLEEP, listening
 * </pre>
 *
 * <p>Guarantee: a row that is committed is seen at the latest after the look of every second; while rows flow within the pause
 * between two looks; and out of sleep as soon as its writer's notification arrives.
 *
 * <p>The doorbell. A sleeper holds it exclusively; a writer that cannot share it rings. So it is taken <em>before</em> the last look:
 * a writer is then either seen by that look, or rings. One sleeper of many holds it, all of them hear; who wakes for another reason than
 * the bell tells the others, so that one of them takes it. While a lane is held back nobody sleeps: a rollback rings no bell.
 *
 * <p>Threading: {@link #watch}, {@link #unwatch}, {@link #stir} and {@link #close} from any thread.
 */
public final class Hub implements AutoCloseable {
    private static final Logger logger = LineLogger.of(Hub.class);

    private static final Duration LOOK_AT_LEAST_EVERY = Duration.ofSeconds(1);
    /** How soon a sleeping hub notices a call of stir(). That costs the database nothing. */
    private static final Duration NOTICE_WITHIN = Duration.ofMillis(50);

    private final DatabaseAccess database;
    private final LongSupplier nanos;
    private final Map<String, WatchedLog> logs = new ConcurrentHashMap<>();
    private final LongAdder looks = new LongAdder();
    private final LongAdder wakeUps = new LongAdder();
    private volatile boolean closed;
    private volatile boolean stirred;
    private volatile boolean seeing;
    /** When the last look that succeeded began. */
    private volatile long seenAt;

    /** How many locks the last look had to go through. */
    private int locks;

    /** The last look, for its sets. */
    private @Nullable Look previous;

    private @Nullable Thread thread;

    public Hub(DatabaseAccess database, LongSupplier nanos) {
        this.database = database;
        this.nanos = nanos;
        this.seenAt = nanos.getAsLong();
    }

    public synchronized void watch(LogTable table, Watcher watcher) {
        if (closed) {
            throw new IllegalStateException("This Baton is closed: open another one.");
        }
        logs.computeIfAbsent(table.name(), name -> new WatchedLog(table))
                .watchers
                .add(watcher);
        if (thread == null) {
            thread = new Thread(this::run, "baton-hub");
            thread.setDaemon(true);
            thread.start();
        }
        stir();
    }

    public synchronized void unwatch(Watcher watcher) {
        logs.values().forEach(log -> log.watchers.remove(watcher));
        stir();
    }

    /** Somebody here waits for a change that the database does not announce: look soon. */
    public void stir() {
        stirred = true;
        Thread running = thread;
        if (running != null) {
            LockSupport.unpark(running);
        }
    }

    /** Whether the last look succeeded. */
    public boolean isSeeing() {
        return seeing;
    }

    /** Since the last look that succeeded; one is taken at least every second. */
    public Duration sinceSeen() {
        return Duration.ofNanos(nanos.getAsLong() - seenAt);
    }

    public long looks() {
        return looks.sum();
    }

    /** How often a notification ended a sleep. */
    public long wakeUps() {
        return wakeUps.sum();
    }

    private void run() {
        Backoff backoff = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
        while (!closed) {
            stirred = false;
            if (watched().isEmpty()) {
                rest(LOOK_AT_LEAST_EVERY);
                continue;
            }
            try (Session session = Session.open(database, Lease.DEFAULT, nanos, "hub")) {
                session.holdOn();
                watchOn(session, backoff);
            } catch (BatonException trouble) {
                Duration pause = backoff.next();
                logger.warn(
                        "The logs cannot be watched, next try in {} ms: {}", pause.toMillis(), trouble.getMessage());
                pause(pause);
            } catch (RuntimeException | Error bug) {
                logger.error("The hub failed, and starts again", bug);
                pause(backoff.next());
            } finally {
                seeing = false;
                logs.values().forEach(WatchedLog::forget);
                logs.values().forEach(log -> log.watchers.forEach(Watcher::blind));
            }
        }
    }

    private List<WatchedLog> watched() {
        return logs.values().stream().filter(log -> !log.watchers.isEmpty()).toList();
    }

    private void watchOn(Session session, Backoff backoff) {
        long lastNews = nanos.getAsLong();
        LookPace pace = new LookPace();
        while (!closed) {
            List<WatchedLog> awake = watched();
            if (awake.isEmpty()) {
                return;
            }
            long start = nanos.getAsLong();
            boolean news = look(session, awake, List.of());
            backoff.reset();
            pace.looked(Duration.ofNanos(nanos.getAsLong() - start));
            if (news) {
                lastNews = start;
                pace.foundNews();
            }
            if (Duration.ofNanos(start - lastNews).compareTo(LookPace.LINGER) < 0) {
                rest(pace.rest(seen(awake)));
            } else if (awake.stream().anyMatch(WatchedLog::isHeldBack)) {
                rest(pace.restWhileHeldBack(seen(awake)));
            } else {
                sleep(session, awake);
                lastNews = nanos.getAsLong();
            }
        }
    }

    private LookPace.Seen seen(List<WatchedLog> awake) {
        boolean isAwaited = awake.stream().flatMap(log -> log.watchers.stream()).anyMatch(Watcher::isHungry);
        int members = awake.stream()
                .mapToInt(log -> log.last == null ? 0 : log.last.members().size())
                .max()
                .orElse(0);
        long rows = awake.stream().mapToLong(log -> log.found).max().orElse(0);
        return new LookPace.Seen(locks, members, rows, isAwaited);
    }

    private void sleep(Session session, List<WatchedLog> sleepers) {
        // Discards an old ring: the look below sees its row. Heard later, it would look like a ring of now, and the
        // others would not be
        // told that the bell is free.
        session.awaitNotification(Duration.ZERO);
        boolean rung = false;
        while (!rung && !stirred && !closed) {
            List<WatchedLog> wanted = sleepers.stream().filter(log -> !log.bell).toList();
            if (look(session, sleepers, wanted) || sleepers.stream().anyMatch(WatchedLog::isHeldBack)) {
                break;
            }
            rung = hear(session);
        }
        if (rung) {
            wakeUps.increment();
            look(session, sleepers, List.of()); // first what it was about; the bell can wait
        }
        // Of several logs, nobody knows which one rang.
        release(session, sleepers, !rung || sleepers.size() > 1);
    }

    private boolean hear(Session session) {
        long end = nanos.getAsLong() + LOOK_AT_LEAST_EVERY.toNanos();
        while (nanos.getAsLong() < end && !stirred && !closed) {
            if (session.awaitNotification(NOTICE_WITHIN)) {
                return true;
            }
        }
        return false;
    }

    private static void release(Session session, List<WatchedLog> sleepers, boolean tellOthers) {
        for (WatchedLog log : sleepers) {
            if (log.bell) {
                String channel = tellOthers
                        ? ", CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('" + channel(log.table)
                                + "', '') END"
                        : "";
                session.execute(
                        "give the doorbell back",
                        "SELECT pg_advisory_unlock(" + log.table.relation() + "::oid::integer, -1)" + channel);
                log.bell = false;
            }
        }
        if (tellOthers) {
            session.awaitNotification(Duration.ofMillis(1)); // our own; a look comes next in any case
        }
    }

    private static String channel(LogTable table) {
        return "baton." + table.relation();
    }

    /** @return whether anything is new */
    private boolean look(Session session, List<WatchedLog> watched, List<WatchedLog> ring) {
        stirred = false;
        for (WatchedLog log : watched) {
            if (!log.listening) {
                session.execute("listen to a log", "LISTEN \"" + channel(log.table) + '"');
                log.listening = true;
            }
        }
        long startedAt = nanos.getAsLong();
        Look look = Look.at(session, tables(watched), tables(ring));
        look = previous == null ? look : look.sharing(previous);
        previous = look;
        looks.increment();
        locks = look.locks();
        for (int i = 0; i < ring.size(); i++) {
            ring.get(i).bell = look.bells().get(i);
        }
        boolean news = false;
        for (int i = 0; i < watched.size(); i++) {
            news |= watched.get(i).see(look, i, startedAt);
        }
        seenAt = startedAt;
        seeing = true;
        return news;
    }

    private static List<LogTable> tables(List<WatchedLog> logs) {
        List<LogTable> tables = new ArrayList<>();
        logs.forEach(log -> tables.add(log.table));
        return tables;
    }

    /** Not ended by being stirred: that would make a hail of tries out of a back-off. */
    private void pause(Duration length) {
        long end = nanos.getAsLong() + length.toNanos();
        while (!closed && nanos.getAsLong() - end < 0) {
            LockSupport.parkNanos(this, Math.max(1, end - nanos.getAsLong()));
        }
    }

    private void rest(Duration pause) {
        if (!stirred && !closed) {
            LockSupport.parkNanos(this, pause.toNanos());
        }
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        stir();
        if (running != null && running != Thread.currentThread()) {
            try {
                running.join(5000);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
