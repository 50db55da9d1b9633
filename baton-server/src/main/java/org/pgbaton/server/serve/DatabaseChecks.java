package org.pgbaton.server.serve;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.server.command.Suggestion;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Settings;

/** Checks the databases of a file with several of them, and that relays, captures and channels name those that there are. Notes what is wrong. */
final class DatabaseChecks {
    /** Of relays, captures and channels. */
    static final Key<List<String>> ON = Key.optional(
            "databases", Scalar.name().list(), "Only on these of the file's databases. Default: on all of them.");

    /** A name becomes a part of paths, of labels of metrics and of names in Kafka. */
    private static final String NAME = "[a-z0-9][a-z0-9_-]{0,39}";

    private final Settings file;
    private final Map<String, Settings> databases;

    /** @param databases empty if the file does not have several */
    DatabaseChecks(Settings file, Map<String, Settings> databases) {
        this.file = file;
        this.databases = databases;
    }

    void checkEach() {
        Map<String, String> addresses = new HashMap<>();
        databases.forEach((name, database) -> {
            if (!name.matches(NAME)) {
                file.problem(
                        database.line(),
                        "'" + name.replaceAll("\\p{Cntrl}", "?")
                                + "' cannot name a database: give 1 to 40 small letters, digits, "
                                + "hyphens and underscores, beginning with a letter or a digit");
            }
            if (!database.has(DatabaseConfig.URL)) {
                file.problem(database.line(), "missing key 'url' (or 'url-file') in " + database.title());
            } else if (database.isWhole()) {
                checkOther(name, database, addresses);
            }
        });
    }

    /** The same database under two names would have each relay twice: with Kafka, each half would count for itself. */
    private void checkOther(String name, Settings database, Map<String, String> addresses) {
        DatabaseConfig config = new DatabaseConfig(database);
        DatabaseUrl url = config.url();
        if (url != null) {
            String before = addresses.putIfAbsent(url.hosts() + "/" + url.database() + " " + config.schema(), name);
            if (before != null) {
                file.problem(database.line(), same(before, name));
            }
        }
    }

    static String same(String one, String other) {
        return "databases '" + one + "' and '" + other + "' are the same database and schema: give it one name";
    }

    /**
     * Checks which databases a relay, a capture or a channel names.
     *
     * @param part the relay, capture or channel
     */
    void checkNames(Settings part) {
        if (databases.isEmpty()) {
            if (part.has(ON)) {
                part.problem(
                        ON,
                        "'databases' in " + part.title()
                                + " makes sense only in a file with several: describe them under 'databases'");
            }
            return;
        }
        Set<String> named = new HashSet<>();
        for (String name : part.list(ON)) {
            if (!databases.containsKey(name)) {
                part.problem(
                        ON,
                        "there is no database '" + name + "' for " + part.title()
                                + Suggestion.nearest(name, databases.keySet())
                                        .map(near -> ": did you mean '" + near + "'?")
                                        .orElse(": describe it under 'databases'"));
            } else if (!named.add(name)) {
                part.problem(ON, "database '" + name + "' is named twice by " + part.title());
            }
        }
    }

    /** Whether a relay, a capture or a channel works on this database. */
    static boolean isOn(Settings part, String database) {
        return database.isEmpty() || !part.has(ON) || part.list(ON).contains(database);
    }
}
