package org.pgbaton.schema;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.pgbaton.database.LineLogger;
import org.pgbaton.database.SchemaName;
import org.pgbaton.session.DatabaseAccess;
import org.slf4j.Logger;

/**
 * Brings Baton's schema up to date, and refuses one that does not fit.
 *
 * <p>Guarantee: all pending steps, and after them the living {@link Routines}, are applied in one transaction under a lock, once,
 * however many processes start at the same time; names are looked up in pg_catalog alone, whatever others put into their schemas. If nothing is pending, nothing is locked and no privilege beyond reading is needed.
 *
 * <p>Compatibility: a program works on a schema that newer programs have migrated, unless a step declares itself incompatible.
 * It refuses a schema that lacks one of its own steps.
 *
 * <p>Thread-safe.
 */
public final class Schema {
    private static final Logger log = LineLogger.of(Schema.class);

    private final DatabaseAccess database;
    private final List<Migration> migrations;

    public Schema(DatabaseAccess database) {
        this(database, Migration.all());
    }

    Schema(DatabaseAccess database, List<Migration> migrations) {
        this.database = database;
        this.migrations = List.copyOf(migrations);
    }

    /** The steps that {@link #migrate} would apply now. */
    public List<Migration> pending() {
        return database.call("read the state of Baton's schema", connection -> after(state(connection)));
    }

    /** @return the steps that were applied; empty if the schema was up to date */
    public List<Migration> migrate() {
        if (pending().isEmpty()) {
            return List.of();
        }
        List<Migration> applied = database.call("migrate Baton's schema", connection -> {
            execute(connection, SchemaSql.SAFE_PATH);
            lock(connection);
            State state = state(connection);
            prepare(connection, state);
            List<Migration> pending = after(state);
            if (!pending.isEmpty()) {
                apply(connection, pending);
            }
            return pending;
        });
        applied.forEach(each -> log.info("Schema '{}': applied {} {}", database.schema(), each.number(), each.name()));
        return applied;
    }

    private void apply(Connection connection, List<Migration> pending) throws SQLException {
        execute(connection, Routines.basis(database.schema()));
        for (Migration migration : pending) {
            execute(connection, migration.sqlFor(database.schema()));
            execute(connection, recordOf(migration, database.schema()));
        }
        execute(connection, Routines.all(database.schema()));
    }

    /** @throws SchemaException unless this program can work with the schema as it is */
    public void require() {
        State state = database.call("read the state of Baton's schema", this::state);
        List<Migration> missing = after(state);
        if (!state.table) {
            throw new SchemaException(
                    "The schema '" + database.schema() + "' has no tables of Baton: run 'baton migrate', "
                            + "or apply what 'baton migrate --print-sql' prints.");
        }
        if (!missing.isEmpty()) {
            throw new SchemaException("The schema '" + database.schema() + "' is at step " + state.number
                    + ", and this Baton " + "needs step " + newest() + ": run 'baton migrate' of this version first.");
        }
    }

    /** Everything from an empty database to the newest step, for people who migrate with a tool of their own. */
    public static String script(SchemaName schema) {
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

    /** The script that creates the roles (owner, append, worker, read-only, replication) and grants them their rights. */
    public static String roles(SchemaName schema) {
        return schema.in(Migration.resource("roles.sql")).replace("${prefix}", schema.name());
    }

    private record State(boolean schema, boolean table, int number, int compatibleFrom) {}

    private State state(Connection connection) throws SQLException {
        SchemaName name = database.schema();
        boolean schema;
        boolean table;
        try (PreparedStatement exists = connection.prepareStatement(SchemaSql.EXISTS)) {
            exists.setString(1, '"' + name.name() + '"');
            exists.setString(2, '"' + name.name() + "\".migration");
            try (ResultSet row = exists.executeQuery()) {
                row.next();
                schema = row.getBoolean(1);
                table = row.getBoolean(2);
            }
        }
        if (!table) {
            return new State(schema, false, 0, 0);
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(name.in(SchemaSql.STATE))) {
            row.next();
            return fitting(new State(schema, true, row.getInt(1), row.getInt(2)));
        }
    }

    private State fitting(State state) {
        if (state.compatibleFrom > newest()) {
            throw new SchemaException("The schema '" + database.schema() + "' is at step " + state.number
                    + ", which works with programs from step " + state.compatibleFrom
                    + " on, and this Baton knows step "
                    + newest() + ": use a newer Baton.");
        }
        return state;
    }

    private int newest() {
        return migrations.get(migrations.size() - 1).number();
    }

    private List<Migration> after(State state) {
        return migrations.stream().filter(each -> each.number() > state.number).toList();
    }

    private void lock(Connection connection) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(SchemaSql.LOCK)) {
            lock.setString(1, database.schema().name());
            lock.execute();
        }
    }

    private void prepare(Connection connection, State state) throws SQLException {
        if (!state.schema) {
            execute(connection, database.schema().in(SchemaSql.CREATE_SCHEMA));
        }
        if (!state.table) {
            execute(connection, database.schema().in(SchemaSql.CREATE_TABLE));
        }
    }

    private static String recordOf(Migration migration, SchemaName schema) {
        return schema.in(
                String.format(SchemaSql.RECORD, migration.number(), migration.name(), migration.compatibleFrom()));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
