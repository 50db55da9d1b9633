package org.pgbaton.server.command;

import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseUrl;

/**
 * One of several databases of a file.
 *
 * @param name how the file calls it
 * @param url for ordinary work
 * @param direct for sessions, if that is another address; else null
 * @param schema of Baton's tables
 */
public record NamedDatabase(
        String name, DatabaseUrl url, @Nullable DatabaseUrl direct, String schema) {
    /** @param options which may give a password file */
    public ChosenDatabase choose(DatabaseOptions options) {
        return options.chooseOfSeveral(url, direct, schema);
    }
}
