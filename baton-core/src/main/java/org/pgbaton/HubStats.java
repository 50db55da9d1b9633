package org.pgbaton;

/**
 * What the hub has done since the Baton was opened. The hub is the part of a process that looks for new rows in all logs
 * that its subscriptions read.
 *
 * @param looks how often it looked
 * @param wakeUps how often a writer woke it from sleep to look
 */
public record HubStats(long looks, long wakeUps) {}
