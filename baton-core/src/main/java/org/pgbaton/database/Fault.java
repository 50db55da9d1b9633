package org.pgbaton.database;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What kind of trouble an {@link SQLException} means. Classes for which a particular SQLSTATE means something special ask for it themselves.
 */
public enum Fault {
    /** The server cannot be reached, is starting or stopping, or hung up on us. Trying again is reasonable. */
    OUTAGE,
    /** The server took more connections than it allows. Trying again is reasonable. */
    TOO_MANY_CONNECTIONS,
    /** The server's disk is full. Trying again is reasonable. */
    DISK_FULL,
    /** The host name cannot be resolved. */
    UNKNOWN_HOST,
    /** User, password, or pg_hba.conf. */
    LOGIN_REFUSED,
    /** The database of that name does not exist. */
    NO_DATABASE,
    /** The role may not do this. */
    NO_PRIVILEGE,
    /** Baton's schema or one of its tables is missing. */
    NO_SCHEMA,
    /** Another term holds the epoch now. Raised by Baton's own SQL functions. */
    FENCED,
    /** The server is a replica, or the transaction is read-only. */
    READ_ONLY,
    /** Something between us and the server, a setting of it, or a handler, breaks what Baton builds on. */
    UNSUITABLE,
    /** The server does not accept that value for that setting. */
    INVALID_SETTING,
    /** Two transactions conflict; PostgreSQL chose this one. */
    CONFLICT,
    /** Others held a lock for longer than we wanted to wait. */
    IN_USE,
    /** A message came from a sender that is out of date. Raised by Baton's own SQL functions. */
    STALE,
    /** A connection that was borrowed for Baton's own work is in somebody else's transaction. */
    IN_TRANSACTION,
    /** Anything else. */
    OTHER;

    /** Raised by Baton's SQL functions when a handler ended the transaction it was given. */
    private static final String MEDDLED_SQLSTATE = "YB003";

    /** Raised by Baton's SQL functions when a message's epoch is older than one that was seen. */
    private static final String STALE_SQLSTATE = "YB004";

    /** The SQLSTATE that Baton's SQL functions raise when a term is over. */
    public static final String FENCED_SQLSTATE = "YB001";

    /** The kind of trouble that an exception of the driver means. */
    public static Fault of(SQLException failure) {
        if (causedBy(failure, UnknownHostException.class)) {
            return UNKNOWN_HOST;
        }
        if (PoolerRefusal.explain(failure) != null) {
            return UNSUITABLE;
        }
        String state = failure.getSQLState();
        if (state == null) {
            return causedByNetwork(failure) ? OUTAGE : OTHER;
        }
        return switch (state) {
            case FENCED_SQLSTATE -> FENCED;
            case MEDDLED_SQLSTATE, "3B001", "25P01" ->
                UNSUITABLE; // no such savepoint, no transaction: somebody ended it
            case "28000", "28P01", "08004" -> LOGIN_REFUSED;
            case "3D000" -> NO_DATABASE;
            case "42501" -> NO_PRIVILEGE;
            case "3F000", "42P01", "42883" -> NO_SCHEMA;
            case "25006" -> READ_ONLY;
            case "22023" -> INVALID_SETTING;
            case "40001", "40P01" -> CONFLICT;
            case "55P03" -> IN_USE;
            case STALE_SQLSTATE -> STALE;
            case "25001" -> IN_TRANSACTION;
            case "53100" -> DISK_FULL;
            case "53300" -> TOO_MANY_CONNECTIONS;
            case "57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "57014", "58030" -> OUTAGE;
            default -> state.startsWith("08") || causedByNetwork(failure) ? OUTAGE : OTHER;
        };
    }

    /** Whether the same call may well succeed later without anybody changing a setting. */
    public boolean passes() {
        return switch (this) {
            case OUTAGE, TOO_MANY_CONNECTIONS, DISK_FULL, UNKNOWN_HOST, READ_ONLY, CONFLICT -> true;
            case LOGIN_REFUSED,
                    NO_DATABASE,
                    NO_PRIVILEGE,
                    NO_SCHEMA,
                    UNSUITABLE,
                    INVALID_SETTING,
                    FENCED,
                    IN_USE,
                    STALE,
                    IN_TRANSACTION,
                    OTHER -> false;
        };
    }

    private static boolean causedByNetwork(SQLException failure) {
        return causedBy(failure, ConnectException.class)
                || causedBy(failure, NoRouteToHostException.class)
                || causedBy(failure, SocketTimeoutException.class);
    }

    private static boolean causedBy(SQLException failure, Class<? extends Throwable> type) {
        @Nullable Throwable cause = failure;
        while (cause != null) {
            if (type.isInstance(cause)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
