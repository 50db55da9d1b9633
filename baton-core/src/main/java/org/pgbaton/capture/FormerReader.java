package org.pgbaton.capture;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.LineLogger;
import org.pgbaton.session.Database;
import org.slf4j.Logger;

/** The connection that has the slot when a new leader wants it. Of a reader of the same capture it is ended; others are named. */
final class FormerReader {
    private static final Logger log = LineLogger.of(FormerReader.class);

    private final Database database;
    private final Plan plan;
    private int pid;

    FormerReader(Database database, Plan plan) {
        this.database = database;
        this.plan = plan;
    }

    /** 0 if there is none. */
    int pid() {
        return pid;
    }

    /**
     * @param already was ended before, and may need a moment
     * @return who is in the way, and what to do about it; null if nobody is, or it is ended
     */
    @Nullable
    String end(int already) {
        Found found = find().orElse(null);
        return found == null ? null : judge(found.pid, found.name, found.user, found.mayEnd, already);
    }

    private record Found(
            int pid, @Nullable String name, @Nullable String user, boolean mayEnd) {}

    private Optional<Found> find() {
        return database.call("look who reads the slot '" + plan.slot() + "'", connection -> {
            try (PreparedStatement select = connection.prepareStatement(CaptureSql.FORMER_READER)) {
                select.setString(1, plan.slot());
                try (ResultSet row = select.executeQuery()) {
                    return row.next()
                            ? Optional.of(
                                    new Found(row.getInt(1), row.getString(2), row.getString(3), row.getBoolean(4)))
                            : Optional.empty();
                }
            }
        });
    }

    private @Nullable String judge(
            int found, @Nullable String name, @Nullable String user, boolean mayEnd, int already) {
        pid = found;
        String start = "Capture '" + plan.name() + "': ";
        if (name == null || !name.startsWith(WalStream.readerName(plan))) {
            return start + "another program (" + name + ", process " + found + ") reads from the slot '" + plan.slot()
                    + "'. Stop it; until then nothing is captured.";
        }
        if (found == already) {
            return start + "the former reader's connection (process " + found
                    + ") was ended and is still there: the server ends it when it comes to the end of what it is doing.";
        }
        if (!mayEnd || !terminated(found)) {
            pid = 0;
            return start + "the former reader (" + name + ", process " + found + ", role " + user
                    + ") still has the slot, and this role may not end it: SELECT pg_terminate_backend(" + found
                    + "), or GRANT pg_signal_backend. Until then nothing is captured.";
        }
        log.info("Capture '{}': ended the connection of the former reader ({}, process {})", plan.name(), name, found);
        return null;
    }

    private boolean terminated(int found) {
        try {
            return database.call("end the former reader", connection -> {
                try (PreparedStatement terminate = connection.prepareStatement(CaptureSql.TERMINATE)) {
                    terminate.setInt(1, found);
                    try (ResultSet row = terminate.executeQuery()) {
                        return row.next();
                    }
                }
            });
        } catch (DatabaseException refused) {
            log.debug("Capture '{}': may not end process {}", plan.name(), found, refused);
            return false;
        }
    }
}
