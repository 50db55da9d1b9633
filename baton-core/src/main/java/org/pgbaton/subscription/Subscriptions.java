package org.pgbaton.subscription;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * What operators do with subscriptions, from any process: look, pause, resume, rewind, switch a rebuilt target over, delete;
 * retry and skip what is parked. Everything that changes something is one transaction, is recorded with who and why, and is seen by the
 * members at once if they listen, else within a second. Thread-safe.
 *
 * <pre>{@code
 * long position = events.append(deposited).position();
 * baton.subscriptions().awaitProcessed("balances", position, Duration.ofSeconds(2)); // reads its own write
 * }</pre>
 */
public interface Subscriptions {
    /**
     * The same for another target than the live one, which is built beside it: pause, resume and rewind it, look at its parked
     * messages, retry and skip them.
     */
    Subscriptions ofTarget(String beside);

    /**
     * The same in the name of somebody else: what is done is recorded under this name. For programs through which people act, such as a
     * dashboard.
     *
     * @param who 1 to 100 characters
     */
    Subscriptions by(String who);

    /** Every subscription, and every target of it. */
    List<SubscriptionStatus> list();

    /** Pauses it: no member begins anything new until it is resumed. */
    void pause(String name, String reason);

    /** Goes on after a pause, or after it stopped itself. */
    void resume(String name, String reason);

    /**
     * Handles everything after that position again; lanes that have not come so far stay where they are. A projection that is not
     * idempotent must be emptied first.
     */
    void rewind(String name, long position, String reason);

    /** How many positions the target is behind the live one, in its slowest lane. 0: it can be switched over. */
    long behindLive(String name, String target);

    /**
     * Makes a target that was built beside the live one the live one, in one transaction, together with whatever the application wants to
     * change at the same moment (a view that readers use, for instance). The old target is retired: its members cannot commit
     * anything any more.
     *
     * @param patience how long the old target may be held still until the new one has caught up
     * @param alsoDo in the same transaction
     */
    void switchOver(String name, String target, String reason, Duration patience, Transactions.Work alsoDo);

    /** Forgets it: its checkpoints and parked keys. No member may be alive. */
    void delete(String name, @Nullable String target, String reason);

    /** Keys that are set aside, of one subscription or of all. */
    List<ParkedKey> parked(@Nullable String name);

    /** The messages of a parked key that wait, in order, from after the given position. */
    List<Message> parkedMessages(String name, String key, long after, int most);

    /**
     * Tries a parked key again, at once and with all its attempts.
     *
     * @return false if the key is not parked
     */
    boolean retry(String name, String key, String reason);

    /**
     * Tries all keys again whose error contains this text.
     *
     * @return how many
     */
    int retryAll(String name, @Nullable String errorContains, String reason);

    /**
     * Skips the first message of a parked key for good, and goes on with the next.
     *
     * @param position of that message, so that nothing else is skipped by mistake
     */
    void skip(String name, String key, long position, String reason);

    /** What operators did, the latest first. */
    List<OperatorAction> actions(int most);

    /**
     * Waits until the subscription has processed the message at that position, wherever its members run.
     *
     * @return false if it had not within that time
     * @throws InterruptedException if the thread was interrupted while it waited
     */
    boolean awaitProcessed(String name, long position, Duration atMost) throws InterruptedException;

    /** The same without blocking. Cancel it, or let it time out, and it stops looking. */
    CompletableFuture<Void> processed(String name, long position);
}
