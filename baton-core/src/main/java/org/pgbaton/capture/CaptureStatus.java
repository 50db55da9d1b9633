package org.pgbaton.capture;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A capture, as the view {@code capture_status} shows it.
 *
 * @param changes in the log so far
 * @param changedAt when the latest of them was committed; null if there is none
 * @param reader who reads; null if nobody does
 * @param epoch of the reader, or of the last one; null if there was none
 * @param problem why it has stopped; null if it has not
 * @param warning what may become a problem, as the reader sees it; null if there is none
 * @param gaps the number of gaps that nobody has settled: see {@link Captures#gaps}
 */
public record CaptureStatus(
        String name,
        State state,
        String log,
        Source source,
        Slot slot,
        long changes,
        @Nullable Instant changedAt,
        @Nullable String reader,
        @Nullable Long epoch,
        @Nullable Problem problem,
        @Nullable String warning,
        int gaps,
        Instant createdAt) {

    /** Whether changes flow, and if not, why. */
    public enum State {
        /** A process reads. */
        RUNNING,
        /** Nobody reads. */
        WAITING,
        /** By an operator. */
        PAUSED,
        /** See the problem. */
        STOPPED,
        /** The server has given up the slot. */
        LOST;

        /** The word that the view and the command line use. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The state of that word. */
        public static State of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /**
     * What is captured.
     *
     * @param tables each with its schema
     * @param ownPublication whether Baton has made the publication
     */
    public record Source(
            List<String> tables, Set<CapturedOperation> operations, String publication, boolean ownPublication) {}

    /**
     * The replication slot, as the server sees it.
     *
     * @param walStatus PostgreSQL's {@code wal_status}: reserved, extended, unreserved or lost; null if the slot is gone
     * @param safeBytes how much more WAL may be written before the server gives up the slot; null if it never does
     * @param retainedBytes of WAL that the server keeps for the slot; null if it cannot be known
     * @param behindBytes of WAL that the slot has not passed; null if it cannot be known
     */
    public record Slot(
            String name,
            @Nullable String walStatus,
            @Nullable Long safeBytes,
            @Nullable Long retainedBytes,
            @Nullable Long behindBytes) {}

    /** Why a capture has stopped, and since when. */
    public record Problem(String what, Instant since) {}
}
