package org.pgbaton.subscription;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;

/** What failures mean when nobody says otherwise. */
final class Verdicts {
    private Verdicts() {}

    /** Of a handler: trouble that passes is an outage, everything else may be the message. */
    static Verdict byDefault(Throwable failure) {
        Fault fault = faultOf(failure);
        return fault != null && fault.passes() ? Verdict.OUTAGE : Verdict.RETRY;
    }

    /** Of Baton's own statements around a handler. */
    static Verdict onOurOwn(Throwable failure) {
        return faultOf(failure) == Fault.UNSUITABLE ? Verdict.STOP : Verdict.OUTAGE;
    }

    /** Not ours any more, or changed under our hands: read anew, without a pause. */
    static boolean isFenced(@Nullable Throwable failure) {
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
}
