package org.pgbaton.server.command;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.embedded.SharedPostgres;

/**
 * The database that a command works on. The embedded PostgreSQL runs at least until this is closed.
 *
 * @param url for ordinary work
 * @param direct for sessions, if that is another address; else null
 * @param schema the name of Baton's schema
 * @param embedded null if the database is not the embedded one
 */
public record ChosenDatabase(
        DatabaseUrl url,
        @Nullable DatabaseUrl direct,
        String schema,
        @Nullable SharedPostgres embedded) implements AutoCloseable {
    public boolean isEmbedded() {
        return embedded != null;
    }

    /** @param migrate whether to bring the schema up to date; otherwise it is only checked */
    public Baton open(boolean migrate) {
        return builder().migrate(migrate).open();
    }

    /** A Baton on this database and schema, to be opened. */
    public Baton.Builder builder() {
        return (direct == null ? Baton.builder(url) : Baton.builder(url, direct)).schema(schema);
    }

    /** The address at which a session can be held. */
    public DatabaseUrl sessions() {
        return direct == null ? url : direct;
    }

    /**
     * Opens it for a command that records what it does under the operator's name. Such a command does not change the schema, except that of
     * the embedded database, which belongs to Baton and may be new.
     */
    public Baton openForOperator() {
        return builder().who(OperatorName.current()).migrate(isEmbedded()).open();
    }

    /**
     * Tells a child process where the embedded database is; any other database is known to whoever started us. The password is not part of
     * the URL, because the child may put the URL on a command line, where others can read it. psql and the JDBC driver find the password in
     * the password file.
     */
    public void nameTo(Map<String, String> environment) {
        if (embedded != null) {
            environment.put("BATON_DATABASE_URL", url.toString());
            environment.putIfAbsent("PGPASSFILE", embedded.passwordFile().toString());
            environment.remove("BATON_DATA_DIR");
        }
    }

    /** The command by which a person connects to the embedded database; empty for any other database. */
    public Optional<String> psqlCommand() {
        return Optional.ofNullable(embedded)
                .map(server -> "PGPASSFILE=" + server.passwordFile() + " psql -h 127.0.0.1 -p " + server.port()
                        + " -U postgres");
    }

    @Override
    public void close() {
        if (embedded != null) {
            embedded.close();
        }
    }
}
