package org.pgbaton.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.embedded.SharedPostgres;
import picocli.CommandLine.Option;

/** Which database: the one that is named, the one that libpq's variables name, or the embedded one. */
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
            defaultValue = "${env:BATON_DATABASE_PASSWORD_FILE}",
            description = "File with the password, read at every connect. Also BATON_DATABASE_PASSWORD_FILE.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            defaultValue = "${env:BATON_SCHEMA}",
            description = "Schema of Baton's tables (default: baton). Also BATON_SCHEMA.")
    private @Nullable String schema;

    @Option(
            names = "--data-dir",
            paramLabel = "FOLDER",
            defaultValue = "${env:BATON_DATA_DIR}",
            description = "Folder of the embedded PostgreSQL. Also BATON_DATA_DIR.")
    private @Nullable Path dataDir;

    @Option(names = "--embedded", description = "Use the embedded PostgreSQL of this user on this machine.")
    private boolean embedded;

    private @Nullable DatabaseUrl fallback;
    private boolean toBeNamed;
    private String fallbackSchema = SchemaName.DEFAULT.name();

    /** What counts where neither an option nor a variable says something; null for a URL if there is none. */
    public void fallBackTo(@Nullable DatabaseUrl otherUrl, String otherSchema) {
        this.fallback = otherUrl;
        this.fallbackSchema = otherSchema;
    }

    /** For commands that exclude others: with a database of its own, each machine would exclude nobody. */
    public DatabaseOptions toBeNamed() {
        toBeNamed = true;
        return this;
    }

    /** @throws UsageException if the embedded database would be used although nobody asked for it */
    public void requireNamed() {
        if (named() == null && toBeNamed && !isEmbedded()) {
            throw new UsageException(
                    "No database is named: give --database-url or set BATON_DATABASE_URL, as all hosts must use "
                            + "the same one; or give --embedded to use the embedded PostgreSQL of this machine.");
        }
    }

    public String schema() {
        return schema == null ? fallbackSchema : schema;
    }

    /** A database that is there, until closed. */
    public record Place(DatabaseUrl url, @Nullable SharedPostgres embedded) implements AutoCloseable {
        /**
         * The embedded database has an address that nobody could guess; any other is known to whoever started us. Its password is not in
         * the URL, which may become an argument that others can see, but where psql and Java's driver look for it.
         */
        public void nameTo(Map<String, String> environment) {
            if (embedded != null) {
                environment.put("BATON_DATABASE_URL", url.toString());
                environment.putIfAbsent("PGPASSFILE", embedded.passwordFile().toString());
                environment.remove("BATON_DATA_DIR");
            }
        }

        /** How a person connects to the embedded one. */
        Optional<String> forPsql() {
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

    /** Starts or joins the embedded PostgreSQL if no other database is named. */
    public Place place() {
        new SchemaName(schema()); // before anything is started
        DatabaseUrl named = named();
        if (named != null) {
            warnOfAPasswordOnTheCommandLine();
            return new Place(named, null);
        }
        requireNamed();
        Path folder = dataDir == null ? SharedPostgres.defaultFolder() : dataDir;
        SharedPostgres joined = SharedPostgres.open(folder);
        if (!embedded) {
            Output.say("baton: Using the embedded PostgreSQL in " + folder
                    + ", since no database is named (--database-url, BATON_DATABASE_URL).");
        }
        return new Place(DatabaseUrl.parse(joined.jdbcUrl()), joined);
    }

    private @Nullable DatabaseUrl named() {
        String given = given();
        if (given == null && fallback != null) {
            return named(fallback);
        }
        if (given == null && !System.getenv().getOrDefault("PGHOST", "").isEmpty()) {
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
            // Not the embedded one in its place: then each machine would have a leader of its own.
            throw new UsageException(
                    "The database URL is empty: name a database; or unset BATON_DATABASE_URL, and leave "
                            + "out --database-url, to use the embedded PostgreSQL.");
        }
        return named(DatabaseUrl.parse(given));
    }

    /** What is on the command line counts before what is in the environment. */
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
        String variable = System.getenv("BATON_DATABASE_URL");
        String file = System.getenv("BATON_DATABASE_URL_FILE");
        if (variable != null && file != null) {
            throw new UsageException(
                    "BATON_DATABASE_URL and BATON_DATABASE_URL_FILE both name a database; set one of them.");
        }
        return file == null ? variable : read(Path.of(file));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException unreadable) {
            throw new UsageException("The file " + file + " with the database URL cannot be read.");
        }
    }

    /** Everybody on this machine can read the arguments of everybody's processes. */
    private void warnOfAPasswordOnTheCommandLine() {
        if (url != null && DatabaseUrl.parse(url, Map.of()).hasPassword()) {
            Output.say(
                    "baton: The password in --database-url can be read by everybody on this machine, with 'ps'; give the URL in "
                            + "BATON_DATABASE_URL or --database-url-file, or the password in --password-file or ~/.pgpass.");
        }
    }

    /** Whether somebody asked for the embedded database by name. */
    public boolean isEmbedded() {
        return embedded || dataDir != null;
    }

    /** Whether a database is named, so that the embedded one is not needed. */
    public boolean isNamed() {
        return named() != null;
    }

    private DatabaseUrl named(DatabaseUrl place) {
        if (embedded) {
            throw new UsageException(
                    "--embedded is given, and a database is named as well (" + place + "); give only one of them.");
        }
        if (dataDir != null) {
            throw new UsageException("--data-dir is for the embedded PostgreSQL, and a database is named as well ("
                    + place + "); give only one of them.");
        }
        return passwordFile == null ? place : place.passwordFile(passwordFile);
    }

    /** @param migrate whether to bring the schema up to date; otherwise it is checked */
    public Baton open(Place place, boolean migrate) {
        return Baton.builder(place.url()).schema(schema()).migrate(migrate).open();
    }

    /** Looking changes nothing; only the embedded database is ours, and may be new. */
    Baton openForOperator(Place place) {
        return Baton.builder(place.url())
                .schema(schema())
                .who(Operator.name())
                .migrate(place.embedded() != null)
                .open();
    }
}
