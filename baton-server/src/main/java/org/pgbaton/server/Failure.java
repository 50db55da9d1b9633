package org.pgbaton.server;

import org.pgbaton.capture.CaptureException;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.embedded.EmbeddedPostgresException;
import org.pgbaton.leadership.LeadershipHeldException;
import org.pgbaton.leadership.LeadershipNameException;
import org.pgbaton.log.LogException;
import org.pgbaton.schema.SchemaException;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.NotThereException;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.TryLaterException;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.server.http.ListenException;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionTakenException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns an exception into a sentence for users and an exit code for scripts. No other class knows which exception has which exit code. */
final class Failure {
    private static final Logger log = LoggerFactory.getLogger(Failure.class);

    private Failure() {}

    /** @return the exit code; the sentence goes to standard error */
    static int report(Exception failure) {
        log.debug("The command failed", failure);
        int code = codeOf(failure);
        if (failure instanceof ConfigurationException) {
            String.valueOf(failure.getMessage())
                    .lines()
                    .forEach(Output::complain); // each line begins with the name of the file, as messages of compilers
            // do
        } else if (code == ExitCode.INTERNAL_ERROR && !(failure instanceof BatonException)) {
            Output.complain("baton: Internal error, please report it: " + failure);
            failure.printStackTrace();
        } else {
            Output.complain("baton: " + failure.getMessage());
        }
        return code;
    }

    static int codeOf(Exception failure) {
        if (failure instanceof UsageException
                || failure instanceof LeadershipNameException
                || failure instanceof IllegalArgumentException) {
            return ExitCode.USAGE;
        }
        if (failure instanceof LeadershipHeldException
                || failure instanceof SubscriptionTakenException
                || failure instanceof TryLaterException) {
            return ExitCode.TRY_LATER;
        }
        if (failure instanceof ConfigurationException
                || failure instanceof ListenException
                || failure instanceof SchemaException
                || failure instanceof NotThereException
                || failure instanceof SubscriptionException
                || failure instanceof CaptureException
                || failure instanceof LogException) {
            return ExitCode.CONFIGURATION;
        }
        if (failure instanceof EmbeddedPostgresException) {
            return ExitCode.DATABASE_UNREACHABLE;
        }
        if (failure instanceof DatabaseException database) {
            return codeOf(database.fault());
        }
        return ExitCode.INTERNAL_ERROR;
    }

    private static int codeOf(Fault fault) {
        return switch (fault) {
            case OUTAGE, TOO_MANY_CONNECTIONS, DISK_FULL, UNKNOWN_HOST -> ExitCode.DATABASE_UNREACHABLE;
            case LOGIN_REFUSED,
                    NO_DATABASE,
                    NO_PRIVILEGE,
                    NO_SCHEMA,
                    READ_ONLY,
                    UNSUITABLE,
                    INVALID_SETTING,
                    IN_TRANSACTION -> ExitCode.CONFIGURATION;
            case FENCED, CONFLICT, IN_USE -> ExitCode.TRY_LATER;
            case STALE, OTHER -> ExitCode.INTERNAL_ERROR;
        };
    }
}
