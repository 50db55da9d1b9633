package org.pgbaton.wal;

import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureGap;
import org.pgbaton.pgoutput.Lsn;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.publication.GapRecords;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Sql;
import org.slf4j.Logger;

/**
 * Reports what is wrong with a capture: to the health of this process, and to the capture's row for everybody who asks the database.
 *
 * <p>Threading: the reader's thread reports; any may ask.
 */
final class CaptureReport {
    private static final Logger log = LineLogger.of(CaptureReport.class);

    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final Sql sql;
    private long openGaps;
    private volatile @Nullable String problem;
    private volatile @Nullable String mistake;
    private volatile @Nullable String stall;
    private volatile @Nullable String gapWarning;

    CaptureReport(DatabaseAccess database, CapturePlan plan) {
        this.database = database;
        this.plan = plan;
        this.sql = new Sql(database.schema());
    }

    /** Why nothing is read; null if there is no problem. */
    @Nullable
    String problem() {
        return problem;
    }

    /** What somebody has to change before anything can be captured; null if nothing. */
    @Nullable
    String mistake() {
        return mistake;
    }

    /** The warnings of gaps and stalls, and this one. Null if there are none. */
    @Nullable
    String warningsAnd(@Nullable String other) {
        String all =
                Stream.of(gapWarning, stall, other).filter(Objects::nonNull).collect(Collectors.joining(" "));
        return all.isEmpty() ? null : all;
    }

    /** Something went wrong that may pass. It is not recorded: the database may be away. */
    void failed(RuntimeException why) {
        String message = String.valueOf(why.getMessage());
        if (!message.equals(problem)) {
            log.warn("Capture '{}': {}", plan.name(), message);
            log.debug("Capture '{}': the cause", plan.name(), why);
        }
        problem = message;
    }

    /** Somebody has to change something. */
    void mistaken(RuntimeException why) {
        failed(why);
        mistake = problem;
        recordProblem(problem);
    }

    /** An operator has to decide about this change. */
    void stuckAt(UnreadableChangeException stuck) {
        String message = "Capture '" + plan.name() + "' stands still: " + stuck.what()
                + " That change will always look like this, so it is not tried again by itself. Skip it with 'baton captures skip "
                + plan.name()
                + " --reason …', which is recorded; or start the capture with a key that the change has.";
        problem = message;
        log.warn("{}", message);
        recordProblem(message);
        database.call(
                "record the change that holds the capture up",
                connection -> sql.run(
                        connection,
                        CaptureSql.RECORD_UNREADABLE,
                        stuck.place().lsn(),
                        stuck.place().ordinal(),
                        stuck.what(),
                        plan.name()));
    }

    /** Somebody is in the way. */
    void heldUpBy(String what) {
        problem = what;
        recordProblem(what);
    }

    /** A new attempt begins. */
    void clearMistake() {
        mistake = null;
    }

    void clearProblem() {
        problem = null;
        recordProblem(null);
    }

    /** There may be no row yet. */
    private void recordProblem(@Nullable String what) {
        database.call(
                "record how the capture is",
                connection -> sql.run(connection, CaptureSql.RECORD_PROBLEM, what, what, plan.name(), what));
    }

    /** @param received how far the server has read for us */
    void stalledAt(long received) {
        recordStall(plan.heading() + "for more than " + StallWatch.LONG.toSeconds()
                + " s the server has sent nothing, although there is WAL to read behind " + Lsn.text(received)
                + ". Probably it reads over a large transaction, of these tables or of others. It goes on by itself; the WAL is kept "
                + "meanwhile.");
    }

    void clearStall() {
        recordStall(null);
    }

    private void recordStall(@Nullable String what) {
        if (Objects.equals(what, stall)) {
            return;
        }
        if (what != null) {
            log.warn("{}", what);
        }
        stall = what;
        database.call(
                "record how the capture is",
                connection -> sql.run(connection, CaptureSql.RECORD_WARNING, what, plan.name(), what));
    }

    /** Warns of the oldest gap, if their number has changed. */
    void openGaps(long number) {
        if (number == openGaps) {
            return;
        }
        openGaps = number;
        gapWarning = database
                .call(
                        "look at the gaps of capture '" + plan.name() + "'",
                        connection -> GapRecords.list(connection, sql, plan.name()))
                .stream()
                .filter(CaptureGap::isOpen)
                .findFirst()
                .map(gap -> gap.sentence() + (number > 1 ? " There are " + (number - 1) + " more gaps." : "") + " "
                        + gap.advice())
                .orElse(null);
    }
}
