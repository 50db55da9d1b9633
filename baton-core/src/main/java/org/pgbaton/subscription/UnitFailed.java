package org.pgbaton.subscription;

import java.sql.SQLException;
import java.time.Duration;
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

    /** If the handler kept an SQL error to itself: the database refuses everything after it, and says so only now. */
    static SQLException ifLeftFailed(List<Message> unit, SQLException failed) {
        if (Verdicts.isLeftFailed(failed)) {
            throw new UnitFailed(
                    unit,
                    Verdict.RETRY,
                    "The handler kept an SQL error to itself, and left its transaction failed.",
                    failed);
        }
        return failed;
    }

    UnitFailed(List<Message> unit, Verdict verdict, String message, Throwable cause) {
        super(message, cause);
        this.unit = unit;
        this.verdict = verdict;
    }

    /** Not the message's fault: the others would fail as well. */
    boolean isOfTheWholeTarget() {
        return verdict == Verdict.OUTAGE || verdict == Verdict.STOP;
    }

    UnitFailed as(Verdict other) {
        return new UnitFailed(unit, other, String.valueOf(getMessage()), this);
    }

    Suspect suspect() {
        return new Suspect(unit.get(0).position(), verdict, String.valueOf(getMessage()));
    }

    /** How long the target asked to be left alone. */
    Duration pause() {
        return getCause() instanceof HandlerException theirs ? theirs.pause() : Duration.ZERO;
    }
}
