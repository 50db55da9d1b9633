package org.pgbaton.subscription;

/** {@link InstanceMode#FAIL}, and another live member exists. */
public final class SubscriptionTakenException extends SubscriptionException {
    private static final long serialVersionUID = 1L;

    /** A subscription of this name that has another live member. */
    public SubscriptionTakenException(String subscription) {
        super(
                "Subscription '" + subscription
                        + "' has another live member, and was told to fail then: stop that one, or use InstanceMode.COORDINATED.");
    }
}
