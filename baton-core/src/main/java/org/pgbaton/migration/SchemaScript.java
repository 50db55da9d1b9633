package org.pgbaton.migration;

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
        for (Migration migration : Migration.all()) {
            script.append(migration.sqlFor(schema)).append('\n');
            script.append(recordOf(migration, schema)).append(";\n\n");
        }
        script.append(Routines.all(schema)).append('\n');
        script.append(SchemaSql.RESTORE_PATH).append(";\n");
        return script.toString();
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
