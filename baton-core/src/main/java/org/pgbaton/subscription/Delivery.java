package org.pgbaton.subscription;

/**
 * What a reaction may pass on to the outside, beside the message.
 *
 * @param epoch the fencing token: whoever remembers the highest it has seen for a key can refuse a former owner
 * @param attempt 1 the first time; the message's id stays the same
 */
public record Delivery(String subscription, String target, long epoch, int attempt) {}
