package org.pgbaton.handling;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.table.StoredMessage;

/** The handler failed on a unit; everything it wrote in this transaction is to be rolled back. */
public final class UnitFailed extends BatonException {
    private static final long serialVersionUID = 1L;

    /** Also inside whatever the application's transaction manager wraps exceptions into. */
    public static @Nullable UnitFailed in(Throwable thrown) {
        for (@Nullable Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnitFailed failed) {
                return failed;
            }
        }
        return null;
    }

    private final transient List<Message> unit;
    private final Verdict verdict;

    /** If the handler kept an SQL error to itself: the database refuses everything after it, and says so only now. */
    public static SQLException ifLeftFailed(List<Message> unit, SQLException failed) {
        if (FailureVerdicts.isLeftFailed(failed)) {
            throw new UnitFailed(
                    unit,
                    Verdict.RETRY,
                    "The handler kept an SQL error to itself, and left its transaction failed.",
                    failed);
        }
        return failed;
    }

    public static UnitFailed unreadable(Message message) {
        String why = String.valueOf(StoredMessage.excuseOf(message));
        return new UnitFailed(List.of(message), Verdict.PARK, why, new IllegalStateException(why));
    }

    /** The handler threw this; the application says what it means. */
    public static UnitFailed of(List<Message> unit, Throwable failure, SubscriptionOptions options) {
        return new UnitFailed(unit, options.verdictOn(failure), FailureVerdicts.describe(failure), failure);
    }

    /** @param failure what the handler threw when it was interrupted; null if it returned */
    public static UnitFailed tooLate(List<Message> unit, @Nullable Throwable failure, SubscriptionOptions options) {
        return new UnitFailed(
                unit,
                Verdict.RETRY,
                "The handler took longer than its limit of " + options.limit().toSeconds() + " s, and was interrupted.",
                failure == null ? new IllegalStateException("too late") : failure);
    }

    public UnitFailed(List<Message> unit, Verdict verdict, String message, Throwable cause) {
        super(message, cause);
        this.unit = unit;
        this.verdict = verdict;
    }

    public List<Message> unit() {
        return unit;
    }

    public Verdict verdict() {
        return verdict;
    }

    /** Whether all messages of the unit have the same key. */
    public boolean isOfOneKey() {
        return isOfOneKey(unit);
    }

    public static boolean isOfOneKey(List<Message> unit) {
        String key = unit.get(0).key();
        return unit.stream().allMatch(message -> message.key().equals(key));
    }

    /** Not the message's fault: the others would fail as well. */
    public boolean isOfTheWholeTarget() {
        return verdict.isOfTheWholeTarget();
    }

    public UnitFailed as(Verdict other) {
        return new UnitFailed(unit, other, String.valueOf(getMessage()), this);
    }

    /** Where in the unit the trouble is; 0 if that is not known. */
    public int at() {
        Message troubled = getCause() instanceof HandlerException theirs ? theirs.troubled() : null;
        return troubled == null ? 0 : Math.max(0, unit.indexOf(troubled));
    }

    /** Whether the first message of the unit is known to be the trouble, or nothing is wrong with any of them. */
    public boolean isAboutTheFirst() {
        boolean nothingWrong = verdict == Verdict.LATER || verdict == Verdict.PAUSE;
        boolean told = getCause() instanceof HandlerException theirs && theirs.troubled() == unit.get(0);
        return unit.size() == 1 || nothingWrong || told;
    }

    /** If another message than the first is at fault, the key is drained up to that one. */
    public Suspect suspect() {
        long first = unit.get(0).position();
        return at() > 0
                ? new Suspect(first, Verdict.LATER, String.valueOf(getMessage()))
                : new Suspect(first, verdict, String.valueOf(getMessage()), pause());
    }

    /** How long the target asked to be left alone. */
    public Duration pause() {
        return getCause() instanceof HandlerException theirs ? theirs.pause() : Duration.ZERO;
    }
}
