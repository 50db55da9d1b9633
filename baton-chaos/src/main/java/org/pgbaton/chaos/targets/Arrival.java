package org.pgbaton.chaos.targets;

/**
 * A message at a target.
 *
 * @param target the subscription that sent it
 * @param epoch under which it was sent
 */
public record Arrival(String target, String key, String id, long epoch) {}
