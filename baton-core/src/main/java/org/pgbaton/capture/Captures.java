package org.pgbaton.capture;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All captures of a schema: those that run in this process, and what operators do with any of them. What operators do is recorded in the table
 * {@code action}. Thread-safe.
 *
 * <pre>{@code
 * baton.captures().pause("alerts", "the disk of the target is full");
 * baton.captures().resume("alerts", "the disk is larger now");
 * }</pre>
 */
public interface Captures {
    /** Tells the listener every capture that runs in this process, now or later; one that starts at this very moment perhaps twice. */
    void addListener(Consumer<Capture> listener);

    /** The captures that this process reads, or stands by for. */
    List<Capture> running();

    /**
     * The same in the name of somebody else: what is done is recorded under this name. For programs through which people act, such as a
     * dashboard.
     *
     * @param who 1 to 100 characters
     */
    Captures by(String who);

    /** Every capture, by name. */
    List<CaptureStatus> list();

    /**
     * One capture as the database sees it.
     *
     * @throws CaptureException if there is no capture of that name
     */
    CaptureStatus show(String name);

    /** Stops the reader within a second or two. The server keeps the WAL until the capture is resumed. */
    void pause(String name, @Nullable String reason);

    /** Continues after a pause. */
    void resume(String name, @Nullable String reason);

    /**
     * Skips the change that holds the capture up because it has no key or cannot be decoded. It is recorded as a settled gap.
     *
     * @param wholeTransaction also skips all other such changes of the same transaction; its other changes are captured
     * @return which change, and why it could not be captured
     * @throws CaptureException if there is no capture of that name, or no change holds it up
     */
    String skip(String name, boolean wholeTransaction, String reason);

    /** The gaps of a capture, the oldest first, settled ones too. */
    List<CaptureGap> gaps(String name);

    /**
     * Marks the gaps of a capture as dealt with, so that nobody is warned of them any more. A gap that has not ended stays open.
     *
     * @return how many gaps were settled
     */
    int settle(String name, String reason);

    /**
     * Asks for all existing rows of the captured tables, to be sent among the changes. The reader begins with it within a second. A table that is
     * being sent already is not started again.
     *
     * @return how many tables will be sent
     */
    int snapshot(String name, @Nullable String reason);

    /** The tables for which existing rows were asked, the oldest first, finished ones too. */
    List<SnapshotStatus> snapshots(String name);

    /**
     * Removes the slot, the publication if Baton made it, and the record of how far the capture was; the log stays. Changes from now on are not
     * captured, and changes that were not read yet never will be.
     *
     * @throws CaptureException if there is no capture of that name, or somebody reads for it right now
     */
    void drop(String name, @Nullable String reason);
}
