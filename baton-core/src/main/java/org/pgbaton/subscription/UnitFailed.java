package org.pgbaton.subscription;

import java.util.List;
import org.pgbaton.database.BatonException;
import org.pgbaton.log.Message;

/** The handler failed on a unit; everything it wrote in this transaction is to be rolled back. */
final class UnitFailed extends BatonException {
    private static final long serialVersionUID = 1L;

    final transient List<Message> unit;
    final Verdict verdict;

    UnitFailed(List<Message> unit, Verdict verdict, String message, Throwable cause) {
        super(message, cause);
        this.unit = unit;
        this.verdict = verdict;
    }
}
