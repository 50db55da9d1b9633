package org.pgbaton.log;

import org.pgbaton.database.BatonException;

/** A log is missing, or does not fit what was asked of it. */
public class LogException extends BatonException {
    private static final long serialVersionUID = 1L;

    /** A failure that the message explains. */
    public LogException(String message) {
        super(message, null);
    }
}
