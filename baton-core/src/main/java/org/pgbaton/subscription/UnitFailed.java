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

    static UnitFailed unreadable(Message message) {
        String why = String.valueOf(message.unreadable());
        return new UnitFailed(List.of(message), Verdict.PARK, why, new IllegalStateException(why));
    }

    UnitFailed(List<Message> unit, Verdict verdict, String message, Throwable cause) {
        super(message, cause);
        this.unit = unit;
        this.verdict = verdict;
    }

    /** Not the message's fault: the others would fail as well. */
    boolean isOfTheWholeTarget() {
        return verdict.isOfTheWholeTarget();
    }

    UnitFailed as(Verdict other) {
        return new UnitFailed(unit, other, String.valueOf(getMessage()), this);
    }

    /** Where in the unit the trouble is; 0 if that is not known. */
    int at() {
        Message troubled = getCause() instanceof HandlerException theirs ? theirs.troubled() : null;
        return troubled == null ? 0 : Math.max(0, unit.indexOf(troubled));
    }

    /** Whether the first message of the unit is known to be the trouble, or nothing is wrong with any of them. */
    boolean isAboutTheFirst() {
        boolean nothingWrong = verdict == Verdict.LATER || verdict == Verdict.PAUSE;
        boolean told = getCause() instanceof HandlerException theirs && theirs.troubled() == unit.get(0);
        return unit.size() == 1 || nothingWrong || told;
    }

    /** If the first message is not the trouble, its key goes on by itself, up to the one that is. */
    Suspect suspect() {
        long first = unit.get(0).position();
        return at() > 0
                ? new Suspect(first, Verdict.LATER, String.valueOf(getMessage()))
                : new Suspect(first, verdict, String.valueOf(getMessage()), pause());
    }

    /** How long the target asked to be left alone. */
    Duration pause() {
        return getCause() instanceof HandlerException theirs ? theirs.pause() : Duration.ZERO;
    }
}
