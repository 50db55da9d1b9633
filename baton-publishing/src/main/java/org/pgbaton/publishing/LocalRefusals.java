package org.pgbaton.publishing;

import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Refusals that a publisher makes itself, without asking the target.
 *
 * @param target the beginning of the sentences, without secrets: {@code webhook https://example.com/hook}
 */
public record LocalRefusals(String target) {
    /** The publisher is closed. */
    public HandlerException closed() {
        return new HandlerException(Verdict.OUTAGE, target + " is closed on our side: nothing is sent any more");
    }

    /**
     * The message is too large: its key is parked.
     *
     * @param unit {@code bytes}
     * @param option the builder's option that sets the limit
     */
    public HandlerException tooLarge(int size, int most, String unit, String option) {
        return new HandlerException(
                Verdict.PARK,
                target + " is sent at most " + most + " " + unit + " (" + option + "), and this message has " + size
                        + ": raise the limit and retry the key, or skip the message");
    }
}
