package org.pgbaton.leadership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.pgbaton.database.LineLogger;
import org.pgbaton.session.Database;
import org.pgbaton.session.Session;
import org.slf4j.Logger;

/**
 * All leaderships of one {@code Baton}: what is going on, who listens, and the clock that ends trust even while the thread
 * that talks to the database hangs in a read. Thread-safe. Not API: get a {@link Leadership} from {@code Baton}.
 */
public final class Leaderships implements AutoCloseable {
    private static final Logger log = LineLogger.of(Leaderships.class);

    private final Database database;
    private final LongSupplier nanos;
    private final ScheduledExecutorService clock;
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final ExecutorService teller = Executors.newSingleThreadExecutor(named("baton-listeners"));
    private final List<LeadershipListener> listeners = new CopyOnWriteArrayList<>();
    private final Set<Campaign> campaigns = ConcurrentHashMap.newKeySet();
    private final Map<String, Candidate> candidates = new ConcurrentHashMap<>();

    private volatile boolean closed;

    /** @param nanos the monotonic clock */
    public Leaderships(Database database, LongSupplier nanos) {
        this.database = database;
        this.nanos = nanos;
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, named("baton-clock"));
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.clock = timer;
    }

    public Leadership named(LeadershipOptions options) {
        return new Leadership(this, options);
    }

    public void addListener(LeadershipListener listener) {
        listeners.add(listener);
    }

    public List<LeadershipHealth> health() {
        List<LeadershipHealth> all = new ArrayList<>();
        candidates.values().forEach(candidate -> all.add(candidate.health()));
        campaigns.stream()
                .filter(campaign -> !candidates.containsKey(campaign.leadership()))
                .forEach(campaign -> all.add(campaign.health()));
        return List.copyOf(all);
    }

    /** What a candidate is doing right now: its bid, or the term that it won. */
    Optional<Campaign> campaignFor(String leadership) {
        return campaigns.stream()
                .filter(campaign -> campaign.leadership().equals(leadership))
                .findFirst();
    }

    /** Every leadership of the database, as the view {@code leader_status} shows it. */
    public List<LeaderStatus> status() {
        return LeaderStatus.all(database);
    }

    Database database() {
        return database;
    }

    long nanos() {
        return nanos.getAsLong();
    }

    void tell(Change change) {
        try {
            teller.execute(() -> listeners.forEach(listener -> tell(listener, change)));
        } catch (RejectedExecutionException closed) {
            log.debug("Nobody is told any more: {}", change);
        }
    }

    private static void tell(LeadershipListener listener, Change change) {
        try {
            listener.changed(change);
        } catch (RuntimeException | Error theirs) {
            log.warn("A listener failed on {}", change, theirs);
        }
    }

    /** Suspends the term, and then ends it, when the session's trust runs out. */
    @SuppressWarnings("FutureReturnValueIgnored") // doubt() does not throw, and nobody waits for it
    void watch(Term term, Session session) {
        Duration next = session.untilNextDoubt().plusMillis(1);
        try {
            clock.schedule(() -> doubt(term, session), next.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            log.debug("Nobody watches {} any more", term);
        }
    }

    private void doubt(Term term, Session session) {
        if (term.isOver()) {
            return;
        }
        term.tellTrust();
        if (session.isAbandoned()) {
            term.end(
                    "no answer from the database for "
                            + session.sinceRoundTrip().toMillis() + " ms",
                    null);
            session.abort();
            return;
        }
        watch(term, session);
    }

    void joined(Campaign campaign) {
        campaigns.add(campaign);
        if (closed) {
            campaigns.remove(campaign); // close() may or may not have seen it
        }
        requireOpen();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("This Baton is closed: open another one.");
        }
    }

    void left(Campaign campaign) {
        campaigns.remove(campaign);
    }

    void joined(Candidate candidate) {
        Candidate other = candidates.putIfAbsent(candidate.leadership(), candidate);
        if (other != null) {
            throw new LeadershipNameException("A candidate for leadership '" + candidate.leadership()
                    + "' runs in this process already, and a second one could only wait for the first; close that one, or use "
                    + "another name.");
        }
        if (closed) {
            candidates.remove(candidate.leadership(), candidate);
        }
        requireOpen();
    }

    void left(Candidate candidate) {
        candidates.remove(candidate.leadership(), candidate);
    }

    /** Ends all candidates, campaigns and terms, and blocks until they are stopped. */
    @Override
    public void close() {
        closed = true;
        candidates.values().forEach(Candidate::close);
        campaigns.forEach(Campaign::close);
        clock.shutdownNow();
        teller.shutdown();
        threads.forEach(Leaderships::awaitEnd);
    }

    /** Not a pool's own word for it: that comes a moment before its thread is gone. */
    private static void awaitEnd(Thread thread) {
        try {
            if (thread != Thread.currentThread()) {
                thread.join(1000);
            }
            if (thread.isAlive()) {
                log.warn("The thread {} does not end; it is left to itself", thread.getName());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            threads.add(thread);
            return thread;
        };
    }
}
