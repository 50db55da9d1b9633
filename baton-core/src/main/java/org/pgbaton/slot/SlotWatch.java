package org.pgbaton.slot;

import org.jspecify.annotations.Nullable;
import org.pgbaton.pgoutput.Lsn;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.session.LineLogger;
import org.slf4j.Logger;

/**
 * Watches how much WAL the server keeps for a slot, and warns before the disk is full or the server gives up the slot.
 *
 * <p>Threading: one thread looks; any may ask.
 */
public final class SlotWatch {
    private static final Logger log = LineLogger.of(SlotWatch.class);

    /** A capture that keeps up never leaves this much behind. */
    private static final long MUCH = 1L << 30;

    private final ReplicationSlot slot;
    private final CapturePlan plan;
    private volatile long retained;
    private volatile long walEnd;
    private volatile @Nullable String warning;

    public SlotWatch(ReplicationSlot slot, CapturePlan plan) {
        this.slot = slot;
        this.plan = plan;
    }

    public long retainedBytes() {
        return retained;
    }

    /** Where the WAL ended at the last look. */
    public long walEnd() {
        return walEnd;
    }

    public @Nullable String warning() {
        return warning;
    }

    public void look() {
        SlotState state = slot.find();
        String found = null;
        if (state != null) {
            retained = state.retainedBytes();
            walEnd = Lsn.parse(state.walEnd());
            found = warningAbout(state);
        }
        if (found != null && warning == null) {
            log.warn("{}", found);
        }
        warning = found;
    }

    private @Nullable String warningAbout(SlotState state) {
        String heading = plan.heading() + "the server keeps " + (state.retainedBytes() >> 20)
                + " MiB of WAL for the slot '" + plan.slot() + "', ";
        if ("unreserved".equals(state.walStatus()) || "lost".equals(state.walStatus())) {
            return heading
                    + "more than max_slot_wal_keep_size: at the next checkpoint the slot is lost, and with it every change "
                    + "that was not read. Raise the limit now.";
        }
        Long safe = state.safeBytes();
        if (safe != null && safe < state.retainedBytes()) {
            return heading + "and gives it up after " + (safe >> 20)
                    + " MiB more (max_slot_wal_keep_size). Find out what holds the capture up, or raise the limit.";
        }
        return state.retainedBytes() < MUCH
                ? null
                : heading + "because the capture is behind, paused, or held up by a long transaction. Watch the disk.";
    }
}
