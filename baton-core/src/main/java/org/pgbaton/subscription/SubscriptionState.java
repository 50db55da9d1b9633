package org.pgbaton.subscription;

/**
 * What this process's part in a subscription is doing.
 *
 * <pre>
 *   STARTING ─► RUNNING ◄─► PAUSED     by an operator
 *                  │   ◄─► STOPPED    by the handler's verdict, or an operator; until it is resumed
 *                  ├────► RETIRED     its target was replaced by another one
 *                  ├────► FENCED      in SINGLE mode: another instance took over
 *                  └────► CLOSED
 *   SKIPPED: another live member existed, and it was told to skip then
 * </pre>
 */
public enum SubscriptionState {
    STARTING,
    RUNNING,
    PAUSED,
    STOPPED,
    RETIRED,
    FENCED,
    SKIPPED,
    CLOSED
}
