package org.pgbaton.server.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.embedded.SharedPostgres;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options that choose a database. The first of these counts: the options of the command line, the variables {@code BATON_…}, the
 * configuration file, libpq's variable {@code PGHOST}, the embedded PostgreSQL.
 */
public final class DatabaseOptions {
    @Option(
            names = "--database-url",
            paramLabel = "URL",
            description = "postgres://user@host/db or jdbc:postgresql://…; several hosts separated by commas. Also "
                    + "BATON_DATABASE_URL, or PGHOST and its like. Without any: an embedded PostgreSQL; 'lead' and 'serve' "
                    + "want --embedded for that.")
    private @Nullable String url;

    @Option(
            names = "--database-url-file",
            paramLabel = "FILE",
            description = "File with the URL, if it contains a password. Also BATON_DATABASE_URL_FILE.")
    private @Nullable Path urlFile;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "File with the password, read at every connect. Also BATON_DATABASE_PASSWORD_FILE.")
    private @Nullable Path passwordFile = Variables.path("BATON_DATABASE_PASSWORD_FILE");

    @Option(
            names = "--direct-url",
            paramLabel = "URL",
            description =
                    "The same database without a pooler in between, for sessions and captures; the other URL is then for "
                            + "ordinary work. Also BATON_DIRECT_URL.")
    private @Nullable String directUrl = Variables.get("BATON_DIRECT_URL");

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            description = "Schema of Baton's tables (default: baton). Also BATON_SCHEMA.")
    private @Nullable String schema = Variables.get("BATON_SCHEMA");

    @Option(
            names = "--data-dir",
            paramLabel = "FOLDER",
            description = "Folder of the embedded PostgreSQL. Also BATON_DATA_DIR.")
    private @Nullable Path dataDir = Variables.path("BATON_DATA_DIR");

    @Option(names = "--embedded", description = "Use the embedded PostgreSQL of this user on this machine.")
    private boolean embedded;

    @Mixin
    @SuppressWarnings("unused") // its options take effect when they are read
    private OutputOptions output = new OutputOptions();

    private @Nullable DatabaseUrl fallback;
    private @Nullable DatabaseUrl fallbackDirect;
    private boolean embeddedByDefault = true;
    private String fallbackSchema = SchemaName.DEFAULT.name();

    /**
     * Sets what counts if neither an option nor a variable {@code BATON_…} is given.
     *
     * @param otherUrl null if there is none
     * @param otherDirect the same database without a pooler; null if there is none
     */
    public void fallBackTo(@Nullable DatabaseUrl otherUrl, @Nullable DatabaseUrl otherDirect, String otherSchema) {
        this.fallback = otherUrl;
        this.fallbackDirect = otherDirect;
        this.fallbackSchema = otherSchema;
    }

    /**
     * Uses the embedded database only if an option asks for it. For commands of which one process at a time may do the work: with an
     * embedded database on each machine, every machine would do it.
     */
    public DatabaseOptions neverEmbeddedByDefault() {
        embeddedByDefault = false;
        return this;
    }

    /** @throws UsageException if no database is named and the embedded one may not be used by default */
    public void requireNamed() {
        if (named() == null && !embeddedByDefault && !isEmbedded()) {
            throw new UsageException(
                    "No database is named: give --database-url or set BATON_DATABASE_URL, as all hosts must use "
                            + "the same one; or give --embedded to use the embedded PostgreSQL of this machine.");
        }
    }

    public String schema() {
        return schema == null ? fallbackSchema : schema;
    }

    /** Chooses the database. Starts the embedded PostgreSQL, or joins it, if no other database is named. */
    public ChosenDatabase choose() {
        new SchemaName(schema()); // refuses a bad name before anything is started
        DatabaseUrl named = named();
        if (named != null) {
            warnOfAPasswordOnTheCommandLine();
            return new ChosenDatabase(named, direct(), schema(), null);
        }
        requireNamed();
        if (directUrl != null) {
            throw new UsageException(
                    "A direct address is given (--direct-url, BATON_DIRECT_URL), but no database: add --database-url.");
        }
        Path folder = dataDir == null ? SharedPostgres.defaultFolder() : dataDir;
        SharedPostgres joined = SharedPostgres.open(folder);
        if (!embedded) {
            Output.say("baton: Using the embedded PostgreSQL in " + folder
                    + ", since no database is named (--database-url, BATON_DATABASE_URL).");
        }
        return new ChosenDatabase(DatabaseUrl.parse(joined.jdbcUrl()), null, schema(), joined);
    }

    /**
     * Refuses options and variables that name one database, for commands that work on several databases of a file.
     *
     * @param names of the databases
     */
    public void refuseAnother(List<String> names) {
        if (given() != null || directUrl != null || isEmbedded()) {
            throw new UsageException("The file names several databases (" + String.join(", ", names)
                    + "), and an option or a variable names another one (--database-url, BATON_DATABASE_URL, --direct-url, "
                    + "BATON_DIRECT_URL, --embedded, --data-dir): leave that out.");
        }
        if (schema != null) {
            // Two databases of the file that are two schemas of one database would become one.
            throw new UsageException("The file names several databases (" + String.join(", ", names)
                    + "), and --schema or BATON_SCHEMA names a schema: leave that out, and give each database its 'schema' in "
                    + "the file.");
        }
    }

    /** Chooses a database that was named elsewhere. The password file of options and variables counts for it, too. */
    public ChosenDatabase chooseOfSeveral(DatabaseUrl named, @Nullable DatabaseUrl namedDirect, String namedSchema) {
        new SchemaName(namedSchema); // refuses a bad name
        Path file = passwordFile;
        return file == null
                ? new ChosenDatabase(named, namedDirect, namedSchema, null)
                : new ChosenDatabase(
                        named.passwordFile(file),
                        namedDirect == null ? null : namedDirect.passwordFile(file),
                        namedSchema,
                        null);
    }

    private @Nullable DatabaseUrl named() {
        String given = given();
        if (given == null && fallback != null) {
            return checked(fallback);
        }
        if (given == null && Variables.get("PGHOST") != null) {
            given = "postgres://";
        }
        if (given == null && passwordFile != null) {
            throw new UsageException(
                    "A password file is given, but no database: add --database-url or set BATON_DATABASE_URL.");
        }
        if (given == null) {
            return null;
        }
        if (given.isBlank()) {
            // Falling back to the embedded database would give each machine a leader of its own.
            throw new UsageException(
                    "The database URL is empty: name a database, or leave out --database-url and --database-url-file.");
        }
        return checked(DatabaseUrl.parse(given));
    }

    /** The address for sessions; null if it is the same as that for ordinary work. A direct address of the file belongs to the file's URL. */
    private @Nullable DatabaseUrl direct() {
        DatabaseUrl direct = directUrl != null ? DatabaseUrl.parse(directUrl) : given() == null ? fallbackDirect : null;
        return (direct == null || passwordFile == null) ? direct : direct.passwordFile(passwordFile);
    }

    /** The URL from the command line, or else from the environment; null if there is none. */
    private @Nullable String given() {
        if (url != null && urlFile != null) {
            throw new UsageException("--database-url and --database-url-file both name a database; give one of them.");
        }
        if (url != null) {
            return url;
        }
        if (urlFile != null) {
            return read(urlFile);
        }
        String variable = Variables.get("BATON_DATABASE_URL");
        Path file = Variables.path("BATON_DATABASE_URL_FILE");
        if (variable != null && file != null) {
            throw new UsageException(
                    "BATON_DATABASE_URL and BATON_DATABASE_URL_FILE both name a database; set one of them.");
        }
        return file == null ? variable : read(file);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException unreadable) {
            throw new UsageException("The file " + file + " with the database URL cannot be read.");
        }
    }

    /** Every user of a machine can read the arguments of all its processes. */
    private void warnOfAPasswordOnTheCommandLine() {
        boolean directIsOption = !Objects.equals(directUrl, Variables.get("BATON_DIRECT_URL"));
        if (hasPassword(url) || (directIsOption && hasPassword(directUrl))) {
            Output.warn(
                    "baton: The password in --database-url can be read by everybody on this machine, with 'ps'; give the URL in "
                            + "BATON_DATABASE_URL or --database-url-file, or the password in --password-file or ~/.pgpass.");
        }
    }

    private static boolean hasPassword(@Nullable String url) {
        return url != null && DatabaseUrl.parse(url, Map.of()).hasPassword();
    }

    /** Whether an option asks for the embedded database. */
    public boolean isEmbedded() {
        return embedded || dataDir != null;
    }

    /** Whether a database is named, so that the embedded one is not needed. */
    public boolean isNamed() {
        return named() != null;
    }

    private DatabaseUrl checked(DatabaseUrl database) {
        if (embedded) {
            throw new UsageException(
                    "--embedded is given, and a database is named as well (" + database + "); give only one of them.");
        }
        if (dataDir != null) {
            throw new UsageException("--data-dir is for the embedded PostgreSQL, and a database is named as well ("
                    + database + "); give only one of them.");
        }
        return passwordFile == null ? database : database.passwordFile(passwordFile);
    }
}
