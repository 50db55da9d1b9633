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
import org.pgbaton.database.LineLogger;
import org.pgbaton.log.LogTable;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.Database;
import org.pgbaton.session.Lease;
import org.pgbaton.session.Session;
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
    private static final Logger log = LineLogger.of(Hub.class);

    private static final Duration LINGER = Duration.ofMillis(30);
    private static final Duration LOOK_AT_LEAST_EVERY = Duration.ofSeconds(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(2);
    private static final Duration UNHURRIED_PAUSE = Duration.ofMillis(25);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);
    /** With few locks a slow look means a busy machine: the pause after it is no longer than this. */
    private static final Duration LONGEST_ALONE = Duration.ofMillis(10);

    private static final int CROWD = 500;
    /** How soon a sleeping hub notices somebody of its own process. Costs the database nothing. */
    private static final Duration EAR = Duration.ofMillis(50);
    /** A look is followed by a rest of so many times its length; more if there are more who look. */
    private static final int LEAST_REST_PER_LOOK = 6;

    private static final int MOST_REST_PER_LOOK = 12;
    /** If a look finds so many rows, the hub rests twice as long: fewer looks cost the writers less. */
    private static final long PLENTY = 40;

    private final Database database;
    private final LongSupplier nanos;
    private final Map<String, Eye> eyes = new ConcurrentHashMap<>();
    private final LongAdder looks = new LongAdder();
    private final LongAdder wakeUps = new LongAdder();
    private volatile boolean closed;
    private volatile boolean stirred;
    private volatile boolean seeing;
    /** When the last look that succeeded began. */
    private volatile long seenAt;

    private boolean crowded;
    private @Nullable Thread thread;

    public Hub(Database database, LongSupplier nanos) {
        this.database = database;
        this.nanos = nanos;
        this.seenAt = nanos.getAsLong();
    }

    public synchronized void watch(LogTable table, Watcher watcher) {
        if (closed) {
            throw new IllegalStateException("This Baton is closed: open another one.");
        }
        eyes.computeIfAbsent(table.name(), name -> new Eye(table)).watchers.add(watcher);
        if (thread == null) {
            thread = new Thread(this::run, "baton-hub");
            thread.setDaemon(true);
            thread.start();
        }
        stir();
    }

    public synchronized void unwatch(Watcher watcher) {
        eyes.values().forEach(eye -> eye.watchers.remove(watcher));
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
                log.warn("The logs cannot be watched, next try in {} ms: {}", pause.toMillis(), trouble.getMessage());
                pause(pause);
            } catch (RuntimeException | Error bug) {
                log.error("The hub failed, and starts again", bug);
                pause(backoff.next());
            } finally {
                seeing = false;
                eyes.values().forEach(Eye::forget);
                eyes.values().forEach(eye -> eye.watchers.forEach(Watcher::blind));
            }
        }
    }

    private List<Eye> watched() {
        return eyes.values().stream().filter(eye -> !eye.watchers.isEmpty()).toList();
    }

    private void watchOn(Session session, Backoff backoff) {
        long lastNews = nanos.getAsLong();
        Duration heldBackPause = SHORTEST_PAUSE;
        Duration usual = LONGEST_PAUSE; // what a look takes; one that was held up by the machine says little
        while (!closed) {
            List<Eye> awake = watched();
            if (awake.isEmpty()) {
                return;
            }
            long start = nanos.getAsLong();
            boolean news = look(session, awake, List.of());
            backoff.reset();
            usual = lesser(
                    Duration.ofNanos(nanos.getAsLong() - start),
                    usual.multipliedBy(5).dividedBy(4));
            if (news) {
                lastNews = start;
                heldBackPause = SHORTEST_PAUSE;
            }
            if (Duration.ofNanos(start - lastNews).compareTo(LINGER) < 0) {
                rest(pauseAfter(usual, awake));
            } else if (awake.stream().anyMatch(Eye::isHeldBack)) {
                heldBackPause = lesser(heldBackPause.multipliedBy(2), LONGEST_PAUSE);
                rest(greater(heldBackPause, pauseAfter(usual, awake)));
            } else {
                sleep(session, awake);
                lastNews = nanos.getAsLong();
            }
        }
    }

    private Duration pauseAfter(Duration look, List<Eye> awake) {
        boolean hungry = awake.stream().flatMap(eye -> eye.watchers.stream()).anyMatch(Watcher::isHungry);
        int members = awake.stream()
                .mapToInt(eye -> eye.last == null ? 0 : eye.last.members().size())
                .max()
                .orElse(0);
        Duration rest = look.multipliedBy(Math.min(MOST_REST_PER_LOOK, LEAST_REST_PER_LOOK + members));
        if (awake.stream().anyMatch(eye -> eye.found >= PLENTY)) {
            rest = rest.multipliedBy(2);
        }
        Duration most = crowded ? LONGEST_PAUSE : LONGEST_ALONE;
        return greater(lesser(rest, most), hungry ? SHORTEST_PAUSE : UNHURRIED_PAUSE);
    }

    private void sleep(Session session, List<Eye> sleepers) {
        // An old ring: what it was about is seen below. If it were heard later, the bell would be given back untold.
        session.awaitNotification(Duration.ZERO);
        boolean rung = false;
        while (!rung && !stirred && !closed) {
            List<Eye> wanted = sleepers.stream().filter(eye -> !eye.bell).toList();
            if (look(session, sleepers, wanted) || sleepers.stream().anyMatch(Eye::isHeldBack)) {
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
            if (session.awaitNotification(EAR)) {
                return true;
            }
        }
        return false;
    }

    private static void release(Session session, List<Eye> sleepers, boolean tellOthers) {
        for (Eye eye : sleepers) {
            if (eye.bell) {
                String channel = tellOthers
                        ? ", CASE WHEN pg_notification_queue_usage() < 0.5 THEN pg_notify('" + channel(eye.log)
                                + "', '') END"
                        : "";
                session.execute(
                        "give the doorbell back",
                        "SELECT pg_advisory_unlock(" + eye.log.relation() + "::oid::integer, -1)" + channel);
                eye.bell = false;
            }
        }
        if (tellOthers) {
            session.awaitNotification(Duration.ofMillis(1)); // our own; a look comes next in any case
        }
    }

    private static String channel(LogTable log) {
        return "baton." + log.relation();
    }

    /** @return whether anything is new */
    private boolean look(Session session, List<Eye> watched, List<Eye> ring) {
        stirred = false;
        for (Eye eye : watched) {
            if (!eye.listening) {
                session.execute("listen to a log", "LISTEN \"" + channel(eye.log) + '"');
                eye.listening = true;
            }
        }
        long startedAt = nanos.getAsLong();
        Look look = Look.at(session, tables(watched), tables(ring));
        looks.increment();
        crowded = look.locks() > CROWD;
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

    private static List<LogTable> tables(List<Eye> eyes) {
        List<LogTable> tables = new ArrayList<>();
        eyes.forEach(eye -> tables.add(eye.log));
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

    private static Duration lesser(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private static Duration greater(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
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
            } catch (InterruptedException inAHurry) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
