package org.pgbaton.dashboard.http;

import org.jspecify.annotations.Nullable;

/**
 * How something that this process runs is doing: a relay, a channel, a capture.
 *
 * @param kind "relay", "channel" or "capture"
 * @param subscription whose it is; null for a capture
 * @param sendsTo where it sends to, without secrets; null if it sends nowhere
 * @param state one word, such as "running"
 * @param trouble in words; null if there is none
 * @param targetAway whether what it sends to was away the last time
 */
public record ServedPart(
        String kind,
        String name,
        @Nullable String subscription,
        @Nullable String sendsTo,
        String state,
        boolean healthy,
        @Nullable String trouble,
        boolean targetAway) {}
