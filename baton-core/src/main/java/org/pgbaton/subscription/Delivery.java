package org.pgbaton.subscription;

import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * Comes to a reaction with each message: what it may pass on to the outside, and what it may ask while it works. Thread-safe.
 */
public final class Delivery {
    private final String subscription;
    private final String target;
    private final long epoch;
    private final int attempt;
    private final BooleanSupplier current;

    /** Makes one that nobody takes away, for tests of a reaction or a publisher. */
    public Delivery(String subscription, String target, long epoch, int attempt) {
        this(subscription, target, epoch, attempt, () -> true);
    }

    /**
     * Makes one.
     *
     * @param current whether the message is still this process's, asked each time
     */
    public Delivery(String subscription, String target, long epoch, int attempt, BooleanSupplier current) {
        this.subscription = subscription;
        this.target = target;
        this.epoch = epoch;
        this.attempt = attempt;
        this.current = current;
    }

    /** The name of the subscription. */
    public String subscription() {
        return subscription;
    }

    /** Which version of the projection it is; empty unless it was given. */
    public String target() {
        return target;
    }

    /** The fencing token: whoever remembers the highest it has seen for a key can refuse a former owner. */
    public long epoch() {
        return epoch;
    }

    /** 1 the first time; the message's id stays the same. */
    public int attempt() {
        return attempt;
    }

    /**
     * Whether this process still owns the message's lane, as far as it knows: a reaction that takes long asks before each step that must
     * not be taken twice, and ends if the answer is false, by throwing.
     *
     * <p>False is certain: another process may be at the same message already. True means that the session with the lane's lock was heard
     * from within its lease, and that the lane has not been given up. It is the answer of this moment. A process that is frozen right after
     * it, a clock that runs slow, or an operator's rewind that was committed a moment ago are not known here; what must hold against them
     * compares the {@link #epoch} where the effect is.
     */
    public boolean isCurrent() {
        return current.getAsBoolean();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Delivery that
                && subscription.equals(that.subscription)
                && target.equals(that.target)
                && epoch == that.epoch
                && attempt == that.attempt;
    }

    @Override
    public int hashCode() {
        return Objects.hash(subscription, target, epoch, attempt);
    }

    @Override
    public String toString() {
        return "Delivery[subscription=" + subscription + ", target=" + target + ", epoch=" + epoch + ", attempt="
                + attempt + "]";
    }
}
