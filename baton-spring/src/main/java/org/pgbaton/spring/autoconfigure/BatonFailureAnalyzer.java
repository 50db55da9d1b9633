package org.pgbaton.spring.autoconfigure;

import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.log.LogException;
import org.pgbaton.schema.SchemaException;
import org.pgbaton.spring.listener.ListenerDeclarationException;
import org.pgbaton.spring.property.PropertyException;
import org.pgbaton.spring.start.TwoDatabasesException;
import org.pgbaton.spring.start.UnknownAddressException;
import org.pgbaton.spring.transaction.UnclearDataSourceException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Turns Baton's failures at start into Boot's report: what is wrong, and what to do. */
public final class BatonFailureAnalyzer extends AbstractFailureAnalyzer<BatonException> {
    /** Public for Boot. */
    public BatonFailureAnalyzer() {}

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, BatonException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), action(cause), cause);
    }

    private static String action(BatonException cause) {
        if (cause instanceof PropertyException property) {
            return property.action();
        }
        if (cause instanceof DatabaseException database) {
            return ofDatabase(database);
        }
        if (cause instanceof SchemaException) {
            return "If the schema is missing or old: let baton.migrate be true, or run 'baton migrate' as a role that may. If it is"
                    + " too new for this program: use the version of Baton that migrated it, or a newer one.";
        }
        if (cause instanceof ListenerDeclarationException && !(cause.getCause() instanceof LogException)) {
            return "Correct the method; docs/spring.md says what a method may take and return.";
        }
        if (cause instanceof LogException || cause.getCause() instanceof LogException) {
            return "Correct the name (baton.outbox, baton.events, baton.relays.*.log, @BatonListener(log = …)), or create the log: 'baton logs create"
                    + " NAME', with --outbox for an outbox.";
        }
        if (cause instanceof UnclearDataSourceException) {
            return "Mark the DataSource bean that Baton should use with @BatonDataSource; or make one of them primary, or give the one that"
                    + " routes a default target.";
        }
        if (cause instanceof UnknownAddressException || cause instanceof TwoDatabasesException) {
            return "Set baton.datasource.url, straight to PostgreSQL, and if need be baton.datasource.username and .password.";
        }
        return "The message says what to do; docs/spring.md has the properties.";
    }

    private static String ofDatabase(DatabaseException cause) {
        return switch (cause.fault()) {
            case NO_PRIVILEGE ->
                "Let a role that may create schemas run 'baton migrate', and set baton.migrate=false. 'baton migrate"
                        + " --print-roles' prints a script with the rights of all roles.";
            case UNSUITABLE ->
                "If there is a pooler between the application and PostgreSQL: set baton.datasource.url to the address of PostgreSQL"
                        + " itself. The DataSource may go on using the pooler.";
            case READ_ONLY ->
                "The server is a replica, or read-only: connect to the primary. Several addresses in spring.datasource.url with"
                        + " targetServerType=primary find it by themselves.";
            case OUTAGE, UNKNOWN_HOST, TOO_MANY_CONNECTIONS ->
                "Start the database, or correct spring.datasource.url. To wait for it set baton.start.wait-for-database=60s; to start"
                        + " without it set baton.start.require-database=false.";
            case LOGIN_REFUSED ->
                "Correct spring.datasource.username and spring.datasource.password, or baton.datasource.* if that is set.";
            case NO_SCHEMA -> "Let baton.migrate be true, or run 'baton migrate'; and check baton.schema.";
            default -> "The message says what to do; docs/spring.md has the properties.";
        };
    }
}
