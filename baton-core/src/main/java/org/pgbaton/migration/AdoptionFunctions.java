package org.pgbaton.migration;

import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.pgbaton.database.SchemaName;
import org.pgbaton.schema.Migration;

/**
 * The SQL functions that adopt a table with a status column. Unlike the other {@link Routines} they are in the schema only while a
 * table is adopted.
 *
 * <p>Protocol: each step of an adoption is one transaction, READ COMMITTED. It runs {@link #installation}, calls one function, and runs
 * {@link #removal}. The first takes the lock of the migrations, so that steps and migrations follow one another. The second removes the
 * functions if no table is adopted.
 *
 * <p>Guarantee: the functions are there as long as a table is adopted, and are those of the program that made the last step or the last
 * migration, unless a newer one made them. A transaction that is rolled back leaves nothing.
 */
public final class AdoptionFunctions {
    private static final Pattern NAME = Pattern.compile("(?m)^CREATE OR REPLACE FUNCTION \\$\\{schema}\\.(\\w+)\\(");

    /**
     * The statements that a step begins with. They need a member of the role that owns the schema; the functions are that role's. The
     * search_path is afterwards as before.
     */
    public static String installation(SchemaName schema) {
        String newest = Integer.toString(Migration.all().size());
        return onOurPath(
                schema, text("installation").replace("${newest}", newest).replace("${functions}", functions()));
    }

    /** The statements that a step ends with. They also end the adoption of tables that were dropped. */
    public static String removal(SchemaName schema) {
        String names = NAME.matcher(functions())
                .results()
                .map(each -> "'" + each.group(1) + "'")
                .collect(Collectors.joining(", "));
        return onOurPath(schema, text("removal").replace("${functions}", names));
    }

    /** What a migration does when a table is adopted. */
    static String renewal(SchemaName schema) {
        return schema.in(functions() + text("renewal"));
    }

    static String functions() {
        return text("functions");
    }

    private static String text(String file) {
        return Routines.resource("adoption/" + file + ".sql");
    }

    /** With the lock, and nothing looked up along the caller's search_path. */
    private static String onOurPath(SchemaName schema, String statement) {
        String before = String.join(";\n", SchemaSql.KEEP_PATH, SchemaSql.SAFE_PATH, schema.in(SchemaSql.LOCK));
        return before + ";\n" + schema.in(statement) + SchemaSql.RESTORE_PATH + ";\n";
    }

    private AdoptionFunctions() {}
}
