package org.pgbaton.handling;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.subscription.Verdict;

/** Decides what a failure means, where the application does not. */
public final class FailureVerdicts {
    private FailureVerdicts() {}

    /**
     * Of a handler: trouble that passes is an outage, everything else may be the message. So may a conflict or a statement that takes too
     * long.
     */
    public static Verdict byDefault(Throwable failure) {
        Fault fault = faultOf(failure);
        boolean itself = fault == Fault.CONFLICT || stateOf(failure).equals("57014");
        return fault != null && fault.passes() && !itself ? Verdict.OUTAGE : Verdict.RETRY;
    }

    /**
     * Whether a failed COMMIT may be the fault of a message: PostgreSQL refused what the handler wrote, and neither is the database away
     * nor the lane lost.
     */
    public static boolean mayBeAMessages(Throwable failure) {
        Fault fault = faultOf(failure);
        if (fault == null || fault == Fault.CONFLICT || stateOf(failure).equals("57014")) {
            return true;
        }
        return !fault.passes() && fault != Fault.FENCED && fault != Fault.UNSUITABLE;
    }

    /** False for failures that may be the fault of another message of the transaction, or of none. */
    public static boolean isItsOwnFault(@Nullable Throwable failure) {
        return failure == null || (faultOf(failure) != Fault.CONFLICT && !isLeftFailed(failure));
    }

    /** The handler swallowed an earlier SQL error, and PostgreSQL refuses everything after it. */
    public static boolean isLeftFailed(Throwable failure) {
        return stateOf(failure).equals("25P02");
    }

    private static String stateOf(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException theirs && theirs.getSQLState() != null) {
                return theirs.getSQLState();
            }
        }
        return "";
    }

    /** Of Baton's own statements around a handler. */
    public static Verdict onOurOwn(Throwable failure) {
        return faultOf(failure) == Fault.UNSUITABLE ? Verdict.STOP : Verdict.OUTAGE;
    }

    /** Not ours any more, or changed under our hands: read anew, without a pause. */
    public static boolean isFenced(@Nullable Throwable failure) {
        if (failure == null || UnitFailed.in(failure) != null) {
            return false;
        }
        Fault fault = faultOf(failure);
        return fault == Fault.FENCED || fault == Fault.CONFLICT;
    }

    private static @Nullable Fault faultOf(@Nullable Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof DatabaseException ours) {
                return ours.fault();
            }
            if (cause instanceof SQLException theirs) {
                return Fault.of(theirs);
            }
        }
        return null;
    }

    /** For people: an exception of ours by its sentence, any other with its name. */
    public static String describe(Throwable failure) {
        String text = failure instanceof BatonException && failure.getMessage() != null
                ? failure.getMessage()
                : failure.toString();
        String clean = text.replace('\0', ' ');
        return clean.length() <= 2000 ? clean : clean.substring(0, 2000) + "…";
    }
}
