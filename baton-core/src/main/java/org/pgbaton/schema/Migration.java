package org.pgbaton.schema;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgbaton.database.SchemaName;

/**
 * One numbered step of the schema, never changed once released: tables, columns, indexes, data. Functions, triggers and
 * views are no steps; they are made again after every migration. Steps expand first and contract much later: a program runs
 * on every newer schema, except one whose steps say that it may not.
 *
 * @param compatibleFrom the oldest program, by its own newest step, that works on the schema after this step
 */
public record Migration(int number, String name, int compatibleFrom, String sql) {
    private static final List<String> FILES = List.of(
            "0001_leadership",
            "0002_log",
            "0003_subscription",
            "0004_outbox",
            "0005_relay",
            "0006_capture",
            "0007_retired",
            "0008_qualified_names",
            "0009_pace",
            "0010_capture_gaps",
            "0011_publishes_to",
            "0012_begun_and_restored",
            "0013_rewinds",
            "0014_adoption",
            "0015_schedule",
            "0016_rows_are_refused_by_the_trigger",
            "0017_delete_leadership");
    private static final Pattern COMPATIBLE_FROM = Pattern.compile("(?m)^-- compatible-from: (\\d+)$");

    /** All steps this program knows, in order. */
    public static List<Migration> all() {
        return FILES.stream().map(Migration::read).toList();
    }

    /** The statements for this schema, ready to run. */
    public String sqlFor(SchemaName schema) {
        return schema.in(sql);
    }

    private static Migration read(String file) {
        String sql = resource(file + ".sql");
        Matcher compatible = COMPATIBLE_FROM.matcher(sql);
        if (!compatible.find()) {
            throw new IllegalStateException("The migration " + file + " lacks its line '-- compatible-from: n'.");
        }
        return new Migration(
                Integer.parseInt(file.substring(0, 4)), file.substring(5), Integer.parseInt(compatible.group(1)), sql);
    }

    static String resource(String name) {
        try (InputStream in = Migration.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("The file " + name + " is missing from Baton's jar.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new IllegalStateException("The file " + name + " in Baton's jar cannot be read.", unreadable);
        }
    }
}
