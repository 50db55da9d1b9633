package org.pgbaton.subscription;

/**
 * What this process's part in a subscription is doing.
 *
 * <pre>
 *   STARTING ─► RUNNING ◄─► STANDBY    others own all lanes
 *                  │   ◄─► SUSPENDED  the database does not answer, or no lane can be had
 *                  │   ◄─► PAUSED     by an operator
 *                  │   ◄─► STOPPED    by the handler's verdict, or an operator; until it is resumed
 *                  ├────► RETIRED     its target was replaced by another one
 *                  ├────► FENCED      in SINGLE mode: another instance took over
 *                  └────► CLOSED
 *   SKIPPED: another live member existed, and it was told to skip then
 * </pre>
 */
public enum SubscriptionState {
    /** It has not joined yet. */
    STARTING,
    /** It owns lanes, and sees what is new in them. */
    RUNNING,
    /** Healthy, and with nothing to do: there are more members than lanes. */
    STANDBY,
    /** It wants to run and cannot: for longer than a lease the database has not answered, or lanes that it should own were not to be had. */
    SUSPENDED,
    /** An operator paused it. */
    PAUSED,
    /** The handler's verdict, or an operator, stopped it. It waits until it is resumed. */
    STOPPED,
    /** Its target was replaced by another one. It ends here. */
    RETIRED,
    /** Another instance in {@link InstanceMode#SINGLE} took over. It ends here. */
    FENCED,
    /** Another live member existed when it was started with {@link InstanceMode#SKIP}. It never ran. */
    SKIPPED,
    /** It was closed. */
    CLOSED
}
