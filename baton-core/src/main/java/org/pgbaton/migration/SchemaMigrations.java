package org.pgbaton.migration;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.pgbaton.database.SchemaName;
import org.pgbaton.schema.Migration;
import org.pgbaton.schema.Schema;
import org.pgbaton.schema.SchemaException;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.LineLogger;
import org.slf4j.Logger;

/** Applies the pending steps, and after them the living {@link Routines}, in one transaction under a lock. Thread-safe. */
public final class SchemaMigrations implements Schema {
    private static final Logger log = LineLogger.of(Schema.class);

    private final DatabaseAccess database;
    private final List<Migration> migrations;

    public SchemaMigrations(DatabaseAccess database) {
        this(database, Migration.all());
    }

    SchemaMigrations(DatabaseAccess database, List<Migration> migrations) {
        this.database = database;
        this.migrations = List.copyOf(migrations);
    }

    @Override
    public List<Migration> pending() {
        return database.call("read the state of Baton's schema", connection -> after(state(connection)));
    }

    @Override
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
            execute(connection, SchemaScript.recordOf(migration, database.schema()));
        }
        applyAdoptionFunctions(connection);
        // At the end these give everything to the owner of the schema.
        execute(connection, Routines.all(database.schema()));
    }

    private void applyAdoptionFunctions(Connection connection) throws SQLException {
        execute(connection, AdoptionFunctions.removal(database.schema()));
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(database.schema().in(SchemaSql.IS_ANY_TABLE_ADOPTED))) {
            row.next();
            if (!row.getBoolean(1)) {
                return;
            }
        }
        execute(connection, AdoptionFunctions.renewal(database.schema()));
    }

    @Override
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
        execute(connection, database.schema().in(SchemaSql.LOCK));
    }

    private void prepare(Connection connection, State state) throws SQLException {
        if (!state.schema) {
            execute(connection, database.schema().in(SchemaSql.CREATE_SCHEMA));
        }
        if (!state.table) {
            execute(connection, database.schema().in(SchemaSql.CREATE_TABLE));
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
