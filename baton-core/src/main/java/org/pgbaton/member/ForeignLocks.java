package org.pgbaton.member;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Sql;
import org.slf4j.Logger;

/**
 * Looks whether somebody else holds locks that only members of the subscription, or writers of its log, take. Any role that
 * may connect to the database can take them. Then lanes cannot be owned, or writers wait, and health says who holds the locks.
 *
 * <p>Thread-safe; one look at a time.
 */
public final class ForeignLocks {
    private static final Logger log = LineLogger.of(ForeignLocks.class);

    private static final String FIND = """
            SELECT string_agg(DISTINCT holder || ' (of ' || what || ')', '; ')
              FROM ${schema}.foreign_lock WHERE subscription = ? OR subscription IS NULL AND starts_with(what, ?)""";

    private final DatabaseAccess database;
    private final int subscription;
    private final String logName;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile @Nullable String found;

    public ForeignLocks(DatabaseAccess database, int subscription, String logName) {
        this.database = database;
        this.subscription = subscription;
        this.logName = logName;
    }

    void look() {
        if (!looking.compareAndSet(false, true)) {
            return;
        }
        try {
            String holders = database.call(
                    "look who holds locks",
                    connection -> new Sql(database.schema())
                            .all(connection, FIND, row -> row.getString(1), subscription, "log " + logName + ", ")
                            .get(0));
            if (holders != null && found == null) {
                log.warn("Locks of subscription {} are held by somebody else: {}", subscription, holders);
            }
            found = holders;
        } catch (BatonException unknown) {
            log.debug("Who holds locks could not be found out", unknown);
        } finally {
            looking.set(false);
        }
    }

    /** In words; null if there are none. */
    @Nullable
    String trouble() {
        String holders = found;
        return holders == null
                ? null
                : "locks of ours are held by somebody else: " + holders
                        + ". End that session, for instance with pg_terminate_backend, and find out why it took them.";
    }
}
