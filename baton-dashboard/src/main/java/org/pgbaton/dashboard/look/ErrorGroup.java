package org.pgbaton.dashboard.look;

import java.time.Instant;

/**
 * Keys of one subscription that wait because of the same error; numbers in its text do not matter.
 *
 * @param text the error with numbers left out
 * @param example the newest error of the group, whole
 * @param keys how many keys
 * @param waiting how many messages
 */
public record ErrorGroup(
        String subscription, String target, String text, String example, int keys, long waiting, Instant latest) {}
