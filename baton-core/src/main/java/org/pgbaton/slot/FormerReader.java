package org.pgbaton.slot;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Sql;
import org.slf4j.Logger;

/**
 * Ends the connection that still has the slot when a new leader wants it, if that is a reader of the same capture. Another program is left alone,
 * and named. Not thread-safe.
 */
public final class FormerReader {
    private static final Logger log = LineLogger.of(FormerReader.class);

    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final Sql sql;

    /** The process that was ended last; 0 if there is none. */
    private int ended;

    public FormerReader(DatabaseAccess database, CapturePlan plan) {
        this.database = database;
        this.plan = plan;
        this.sql = new Sql(database.schema());
    }

    private record Found(
            int pid, @Nullable String name, @Nullable String user, boolean mayEnd) {}

    /** @return who is in the way, and what to do about it; null if nobody is, or if its connection was ended just now */
    public @Nullable String end() {
        Found found = find().orElse(null);
        if (found == null) {
            ended = 0;
            return null;
        }
        return end(found);
    }

    private Optional<Found> find() {
        return database.call(
                "look who reads the slot '" + plan.slot() + "'",
                connection -> Optional.ofNullable(sql.first(
                        connection,
                        SlotSql.FORMER_READER,
                        row -> new Found(row.getInt(1), row.getString(2), row.getString(3), row.getBoolean(4)),
                        plan.slot())));
    }

    private @Nullable String end(Found found) {
        if (found.name == null || !found.name.startsWith(WalStream.readerName(plan))) {
            ended = found.pid;
            return plan.heading() + "another program (" + found.name + ", process " + found.pid
                    + ") reads from the slot '" + plan.slot() + "'. Stop it; until then nothing is captured.";
        }
        if (found.pid == ended) {
            return plan.heading() + "the former reader's connection (process " + found.pid
                    + ") was ended and is still there: the server ends it when it comes to the end of what it is doing.";
        }
        if (!found.mayEnd || !terminate(found.pid)) {
            ended = 0;
            return plan.heading() + "the former reader (" + found.name + ", process " + found.pid + ", role "
                    + found.user + ") still has the slot, and this role may not end it: SELECT pg_terminate_backend("
                    + found.pid + "), or GRANT pg_signal_backend. Until then nothing is captured.";
        }
        ended = found.pid;
        log.info(
                "Capture '{}': ended the connection of the former reader ({}, process {})",
                plan.name(),
                found.name,
                found.pid);
        return null;
    }

    private boolean terminate(int pid) {
        try {
            return database.call("end the former reader", connection -> sql.isAny(connection, SlotSql.TERMINATE, pid));
        } catch (DatabaseException refused) {
            log.debug("Capture '{}': may not end process {}", plan.name(), pid, refused);
            return false;
        }
    }
}
