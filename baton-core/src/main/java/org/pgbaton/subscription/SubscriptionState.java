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
    STARTING,
    /** It owns lanes, and sees what is new in them. */
    RUNNING,
    /** Healthy, and with nothing to do: there are more members than lanes. */
    STANDBY,
    /** It wants to run and cannot: for longer than a lease the database has not answered, or lanes that it should own were not to be had. */
    SUSPENDED,
    PAUSED,
    STOPPED,
    RETIRED,
    FENCED,
    SKIPPED,
    CLOSED
}
