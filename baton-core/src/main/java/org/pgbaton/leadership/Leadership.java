package org.pgbaton.leadership;

import java.time.Duration;

/**
 * A job that only one process may do at a time, by name.
 *
 * <p>Guarantee: at most one {@link Term} of a name is leading at any time, over all processes that use the same database and
 * schema, and each has a higher epoch than the one before. When the leader's process dies, a standby takes over in
 * milliseconds; when it freezes, or its host or network dies, within the lease.
 *
 * <p>Each bid uses a dedicated connection of its own, and one thread; with {@link #backingOff} only while it tries. Every wait
 * is interruptible. Immutable and thread-safe; the methods that set something return a new value.
 *
 * <pre>{@code
 * boolean ran = baton.leadership("nightly-report")
 *         .atMostEvery(Duration.ofHours(12))
 *         .run(Contention.SKIP, term -> System.out.println("leading, epoch " + term.epoch()));
 *
 * try (Term term = baton.leadership("import").lead()) { // waits
 *     while (term.isLeading()) {
 *         importNext(term);
 *     }
 * }
 * }</pre>
 */
public interface Leadership {
    /** The name, which is the same in all processes that bid for it. */
    String name();

    /**
     * How long a frozen or cut-off leader keeps the lock: 2 s to 1 day, default 10 s. A dead one loses it in milliseconds
     * whatever the lease.
     */
    Leadership lease(Duration lease);

    /**
     * Uses this advisory key in place of one made from the name: for programs that call {@code pg_advisory_lock(n)}
     * themselves. They exclude each other, but have no epoch.
     */
    Leadership key(long advisoryKey);

    /**
     * Waits by trying again and again, with the connection closed between two tries. Saves a connection for each standby;
     * takeover then takes as long as the pause, which grows from the shortest to the longest.
     */
    Leadership backingOff(Duration shortest, Duration longest);

    /**
     * A run begins at the earliest when this has passed since the start of the last run that ended well, whoever ran it: for
     * jobs that several processes start at the same time. A run that failed or was killed does not count. Until then
     * {@link #tryLead} answers {@link LeadershipAttempt.NotNow}, and whoever waits goes on waiting.
     *
     * <p>A run is a term, and ended well if its duty returned in {@link #run}, or if {@link Term#done} was said. The
     * database's clock judges. From 1 ms to 366 days; without it a run may begin whenever nobody leads.
     */
    Leadership atMostEvery(Duration every);

    /**
     * Once a run of ours has begun, nobody else who says {@code atMostEvery} or {@code atLeastFor} begins before this has passed,
     * however short our run was and even if it failed. From 1 ms to 366 days; without it the next may begin at once.
     */
    Leadership atLeastFor(Duration rest);

    /**
     * Tries once, and does not wait for whoever leads.
     *
     * @throws InterruptedException if the thread was interrupted; then nothing is led
     */
    LeadershipAttempt tryLead() throws InterruptedException;

    /**
     * Waits until we lead.
     *
     * @throws InterruptedException if the thread was interrupted; then nothing is led
     */
    Term lead() throws InterruptedException;

    /**
     * Waits until we lead, but not longer than this.
     *
     * @throws InterruptedException if the thread was interrupted; then nothing is led
     */
    LeadershipAttempt lead(Duration atMost) throws InterruptedException;

    /**
     * Performs the duty on the caller's thread while leading, and releases the leadership when it returns.
     *
     * @return false if somebody else leads and the caller said {@link Contention#SKIP}, or if it is too soon: see
     *     {@link #atMostEvery}
     * @throws LeadershipHeldException if somebody else leads and the caller said {@link Contention#FAIL}
     * @throws LeadershipLostException if leadership was lost and the duty ended by the interrupt
     * @throws Exception what the duty throws
     */
    boolean run(Contention onContention, Duty duty) throws Exception;

    /**
     * Starts a candidate that stays: it stands by, leads, performs the duty, and when leadership is lost stands by again,
     * until it is closed.
     *
     * @throws LeadershipNameException if this Baton has a candidate of that name already
     */
    Candidate campaign(Duty duty);

    /**
     * Checks a name without bidding.
     *
     * @throws LeadershipNameException if no leadership can have this name
     */
    static void requireName(String name) {
        LeadershipNames.require(name);
    }
}
