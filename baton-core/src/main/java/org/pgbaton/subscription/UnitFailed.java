package org.pgbaton.subscription;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.log.Message;

/** The handler failed on a unit; everything it wrote in this transaction is to be rolled back. */
final class UnitFailed extends BatonException {
    private static final long serialVersionUID = 1L;

    /** Also inside whatever the application's transaction manager wraps exceptions into. */
    static @Nullable UnitFailed in(Throwable thrown) {
        for (@Nullable Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnitFailed failed) {
                return failed;
            }
        }
        return null;
    }

    final transient List<Message> unit;
    final Verdict verdict;

    UnitFailed(List<Message> unit, Verdict verdict, String message, Throwable cause) {
        super(message, cause);
        this.unit = unit;
        this.verdict = verdict;
    }
}
