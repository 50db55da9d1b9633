package org.pgbaton.schedule;

import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;

/** A cron expression cannot be used: malformed, or never due. */
public final class CronException extends BatonException {
    private static final long serialVersionUID = 1L;

    CronException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
