package org.pgbaton.database;

import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** PostgreSQL could not be reached, or refused what Baton asked of it. */
public final class DatabaseException extends BatonException {
    private static final long serialVersionUID = 1L;

    private final Fault fault;

    /**
     * A failure with an explanation of its own, for what PostgreSQL itself would not call an error: a pooler in
     * between, a replica.
     */
    public DatabaseException(Fault fault, String message) {
        super(message, null);
        this.fault = fault;
    }

    private DatabaseException(Fault fault, String message, SQLException cause) {
        super(message, cause);
        this.fault = fault;
    }

    /**
     * Makes a sentence of what the driver said.
     *
     * @param doing what was attempted, as in "Cannot {doing}: …"
     */
    public static DatabaseException of(String doing, SQLException failure) {
        Fault fault = Fault.of(failure);
        return new DatabaseException(fault, "Cannot " + doing + ": " + explain(fault, failure), failure);
    }

    /** What kind of trouble it is. */
    public Fault fault() {
        return fault;
    }

    private static String explain(Fault fault, SQLException failure) {
        String said = firstLine(failure);
        return switch (fault) {
            case UNKNOWN_HOST ->
                "the host name " + unknownHost(failure) + " cannot be resolved; check the host in the database URL.";
            case OUTAGE ->
                said.contains("Check that")
                        ? said
                        : said + " Check that the server runs and that host and port are right.";
            case TOO_MANY_CONNECTIONS ->
                said + " Raise max_connections, or close connections that nobody needs; Baton's own budget is in "
                        + "docs/connections.md.";
            case DISK_FULL -> said + " Give the server more disk; what waits goes on by itself.";
            case LOGIN_REFUSED -> said + " Check user and password, and the server's pg_hba.conf.";
            case NO_DATABASE -> said + " Create it, or correct the name in the database URL.";
            case NO_PRIVILEGE ->
                said + " Grant it, for instance with the script that 'baton migrate --print-roles' prints.";
            case NO_SCHEMA -> said + " Run 'baton migrate', or name the right schema.";
            case READ_ONLY -> said + " Connect to the primary (targetServerType=primary).";
            case IN_USE -> said + " Wait until they have ended, or end them, and try again.";
            case UNSUITABLE -> Objects.requireNonNullElse(PoolerRefusal.explain(failure), said);
            case FENCED, CONFLICT, STALE, INVALID_SETTING, IN_TRANSACTION, OTHER -> said;
        };
    }

    private static String unknownHost(SQLException failure) {
        @Nullable Throwable cause = failure;
        while (cause != null && !(cause instanceof java.net.UnknownHostException)) {
            cause = cause.getCause();
        }
        return cause == null ? "" : "'" + cause.getMessage() + "'";
    }

    /** PostgreSQL's own words without severity and position; pgjdbc's "attempt failed" gives way to its cause. */
    private static String firstLine(SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        if (message.startsWith("The connection attempt failed") && failure.getCause() != null) {
            message = "the connection attempt failed (" + failure.getCause().getMessage() + ")";
        }
        String line = message.lines().findFirst().orElse(message);
        for (String severity : new String[] {"FATAL: ", "ERROR: "}) {
            if (line.startsWith(severity)) {
                line = line.substring(severity.length());
            }
        }
        return line.endsWith(".") ? line : line + ".";
    }
}
