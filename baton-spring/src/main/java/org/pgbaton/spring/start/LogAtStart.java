package org.pgbaton.spring.start;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Log;

/**
 * A log that is looked up when the database is ready, and not inside the transaction of the first sender, who would need a second
 * connection for it. Thread-safe.
 */
public final class LogAtStart implements Supplier<Log> {
    private final String name;
    private final DatabaseAtStart database;
    private volatile @Nullable Log log;

    /**
     * Looks the log up now, or when the database is ready.
     *
     * @param find asks the database
     * @throws org.pgbaton.log.LogException if there is no such log
     */
    public LogAtStart(String name, DatabaseAtStart database, Supplier<Log> find) {
        this.name = name;
        this.database = database;
        database.whenReady(() -> log = find.get());
    }

    @Override
    public Log get() {
        Log found = log;
        if (found == null) {
            String trouble = database.trouble();
            throw new IllegalStateException("The log '" + name
                    + "' is not known yet, because the database could not be used since the application started."
                    + (trouble == null ? "" : " " + trouble));
        }
        return found;
    }
}
