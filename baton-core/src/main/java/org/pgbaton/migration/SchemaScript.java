package org.pgbaton.migration;

import java.util.List;
import org.pgbaton.database.SchemaName;
import org.pgbaton.schema.Migration;

/** Scripts for people who migrate, or create roles, with a tool of their own. */
public final class SchemaScript {
    private SchemaScript() {}

    /** Everything from an empty database to the newest step. */
    public static String all(SchemaName schema) {
        StringBuilder script = new StringBuilder("-- Baton's schema, all steps. Apply once, in one transaction.\n\n");
        script.append(SchemaSql.KEEP_PATH).append(";\n");
        script.append(SchemaSql.SAFE_PATH).append(";\n\n");
        script.append(schema.in(SchemaSql.CREATE_SCHEMA)).append(";\n\n");
        script.append(schema.in(SchemaSql.CREATE_TABLE)).append(";\n\n");
        script.append(Routines.basis(schema)).append('\n');
        appendSteps(script, Migration.all(), schema);
        script.append(Routines.all(schema)).append('\n');
        script.append(SchemaSql.RESTORE_PATH).append(";\n");
        return script.toString();
    }

    /**
     * Everything from a step to the newest one, for a schema that is at that step already.
     *
     * @param from the step that the schema is at, from 1 on
     */
    public static String after(SchemaName schema, int from) {
        List<Migration> steps =
                Migration.all().stream().filter(each -> each.number() > from).toList();
        if (from < 1 || steps.isEmpty()) {
            throw new IllegalArgumentException(
                    "There is nothing after step " + from + ": give the step that the schema is at, "
                            + "from 1 to " + (Migration.all().size() - 1) + "; 'SELECT max(number) FROM " + schema
                            + ".migration' tells.");
        }
        StringBuilder script = new StringBuilder("-- Baton's schema, the steps after " + from + " up to "
                + Migration.all().size() + ". Apply once, in one transaction, to a schema that is at step " + from
                + ".\n\n");
        script.append(SchemaSql.KEEP_PATH).append(";\n");
        script.append(SchemaSql.SAFE_PATH).append(";\n");
        script.append(schema.in(SchemaSql.LOCK)).append(";\n\n");
        script.append(schema.in(String.format(SchemaSql.REQUIRE_STEP, from))).append(";\n\n");
        script.append(Routines.basis(schema)).append('\n');
        appendSteps(script, steps, schema);
        script.append(adoptionFunctions(schema)).append('\n');
        script.append(Routines.all(schema)).append('\n');
        script.append(SchemaSql.RESTORE_PATH).append(";\n");
        return script.toString();
    }

    /** As the migration runner does it: removed, and made anew if a table is adopted. */
    private static String adoptionFunctions(SchemaName schema) {
        return AdoptionFunctions.removal(schema)
                + "DO $if_adopted$\nBEGIN\n  IF (" + schema.in(SchemaSql.IS_ANY_TABLE_ADOPTED)
                + ") THEN\n    EXECUTE $baton_renewal$\n"
                + AdoptionFunctions.renewal(schema) + "\n$baton_renewal$;\n  END IF;\nEND\n$if_adopted$;\n";
    }

    private static void appendSteps(StringBuilder script, List<Migration> steps, SchemaName schema) {
        for (Migration migration : steps) {
            script.append(migration.sqlFor(schema)).append('\n');
            script.append(recordOf(migration, schema)).append(";\n\n");
        }
    }

    /** Creates the roles (owner, append, worker, read-only, replication) and grants them their rights. */
    public static String roles(SchemaName schema) {
        return schema.in(Routines.resource("roles.sql")).replace("${prefix}", schema.name());
    }

    /** The statement that records a step as applied. */
    static String recordOf(Migration migration, SchemaName schema) {
        return schema.in(
                String.format(SchemaSql.RECORD, migration.number(), migration.name(), migration.compatibleFrom()));
    }
}
