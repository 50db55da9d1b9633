package org.pgbaton.wal;

import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.Term;
import org.pgbaton.publication.PublicationState;
import org.pgbaton.publication.PublicationWatch;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;
import org.pgbaton.slot.SlotWatch;

/**
 * Looks at the wishes of operators, the slot and the publication. The reader of a capture does so once a second, whether it reads, is paused or waits.
 *
 * <p>Threading: the reader's thread looks; any may ask for bytes and warning.
 */
final class CaptureWatch {
    private final DatabaseAccess database;
    private final String capture;
    private final SlotWatch slot;
    private final PublicationWatch publication;
    private final CaptureReport report;
    private final Sql sql;

    CaptureWatch(
            DatabaseAccess database,
            String capture,
            SlotWatch slot,
            PublicationWatch publication,
            CaptureReport report) {
        this.database = database;
        this.capture = capture;
        this.slot = slot;
        this.publication = publication;
        this.report = report;
        this.sql = new Sql(database.schema());
    }

    /** Looks what operators want, and whether there are new gaps to warn of. */
    OperatorWishes wishes() {
        OperatorWishes wishes = database.call(
                "look what is wanted of the capture", connection -> OperatorWishes.read(connection, sql, capture));
        report.openGaps(wishes.openGaps());
        return wishes;
    }

    void lookAtSlot() {
        slot.look();
    }

    /** Where the WAL ended when the slot was last looked at. */
    long walEnd() {
        return slot.walEnd();
    }

    /** Whether publication and tables are as they were prepared. */
    boolean isIntact(Term term, PublicationState prepared) {
        return publication.isIntact(term, prepared);
    }

    long retainedBytes() {
        return slot.retainedBytes();
    }

    @Nullable
    String warning() {
        return report.warningsAnd(slot.warning());
    }
}
