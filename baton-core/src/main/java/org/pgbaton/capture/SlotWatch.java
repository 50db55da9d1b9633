package org.pgbaton.capture;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.LineLogger;
import org.pgbaton.session.Database;
import org.slf4j.Logger;

/**
 * Looks after the WAL that the server keeps for a slot: before the disk is full, or the server gives the slot up, somebody should know.
 */
final class SlotWatch {
    private static final Logger log = LineLogger.of(SlotWatch.class);

    /** More than a capture that keeps up ever leaves behind. */
    private static final long MUCH = 1L << 30;

    private final Database database;
    private final Plan plan;
    private volatile long retained;
    private volatile long end;
    private volatile @Nullable String warning;

    SlotWatch(Database database, Plan plan) {
        this.database = database;
        this.plan = plan;
    }

    long retainedBytes() {
        return retained;
    }

    /** Where the WAL ended at the last look. */
    long end() {
        return end;
    }

    @Nullable
    String warning() {
        return warning;
    }

    void look() {
        String found = database.<Optional<String>>call("look at the slot '" + plan.slot() + "'", connection -> {
                    try (PreparedStatement select = connection.prepareStatement(CaptureSql.SLOT)) {
                        select.setString(1, plan.slot());
                        try (ResultSet row = select.executeQuery()) {
                            if (!row.next()) {
                                return Optional.empty();
                            }
                            retained = row.getLong(8);
                            end = Mark.parse(row.getString(9));
                            long safe = row.getLong(7);
                            boolean isLimited = !row.wasNull();
                            return Optional.ofNullable(judge(row.getString(6), isLimited ? safe : null));
                        }
                    }
                })
                .orElse(null);
        if (found != null && warning == null) {
            log.warn("{}", found);
        }
        warning = found;
    }

    private @Nullable String judge(String status, @Nullable Long safe) {
        String start = "Capture '" + plan.name() + "': the server keeps " + (retained >> 20)
                + " MiB of WAL for the slot '" + plan.slot() + "', ";
        if ("unreserved".equals(status) || "lost".equals(status)) {
            return start
                    + "more than max_slot_wal_keep_size: at the next checkpoint the slot is lost, and with it every change "
                    + "that was not read. Raise the limit now.";
        }
        if (safe != null && safe < retained) {
            return start + "and gives it up after " + (safe >> 20)
                    + " MiB more (max_slot_wal_keep_size). Find out what holds the capture up, or raise the limit.";
        }
        return retained < MUCH
                ? null
                : start + "because the capture is behind, paused, or held up by a long transaction. Watch the disk.";
    }
}
