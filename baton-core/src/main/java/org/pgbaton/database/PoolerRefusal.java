package org.pgbaton.database;

import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes failures that only a pooler between the program and PostgreSQL causes. Their SQLSTATEs say "protocol violation" or "no such
 * prepared statement", which look like an outage or a mistake of Baton, and trying again would not help.
 */
final class PoolerRefusal {
    private static final Pattern STARTUP = Pattern.compile("unsupported startup parameter: (\\S+)");

    /** The driver names its statements so; statements of users have other names. */
    private static final Pattern PREPARED =
            Pattern.compile("prepared statement \"S_\\d+\" (does not exist|already exists)");

    private static final String ADVICE =
            " Give the direct address of PostgreSQL; or keep the pooler, in transaction mode and with prepareThreshold=0 in its URL, "
                    + "for ordinary work, and give the direct address for sessions beside it ('baton': --direct-url; in Java: a "
                    + "connector).";

    private PoolerRefusal() {}

    /** What a pooler refused, and what to do; null if the failure has nothing to do with a pooler. */
    static @Nullable String explain(SQLException failure) {
        // Texts of messages can stand in the failure of a constraint, so the state decides first.
        String state = String.valueOf(failure.getSQLState());
        if (!state.startsWith("08") && !state.equals("26000") && !state.equals("42P05")) {
            return null;
        }
        String message = String.valueOf(failure.getMessage());
        if (message.contains("statement pooling mode")) {
            return "a pooler in statement mode (PgBouncer) stands between Baton and PostgreSQL, and allows no transactions."
                    + ADVICE;
        }
        Matcher startup = STARTUP.matcher(message);
        if (startup.find()) {
            return "a pooler (PgBouncer) stands between Baton and PostgreSQL, and refuses the parameter '"
                    + startup.group(1) + "', which the driver sends: add it to ignore_startup_parameters of the pooler."
                    + ADVICE;
        }
        if (PREPARED.matcher(message).find()) {
            return "a pooler in transaction mode (PgBouncer, pgcat, Supavisor …) stands between Baton and PostgreSQL, and the driver's "
                    + "prepared statements are lost in it." + ADVICE;
        }
        return null;
    }
}
