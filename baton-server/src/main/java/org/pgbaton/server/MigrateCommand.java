package org.pgbaton.server;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.database.SchemaName;
import org.pgbaton.schema.Migration;
import org.pgbaton.schema.Schema;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.DatabaseOptions;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton migrate}. */
@Command(
        name = "migrate",
        mixinStandardHelpOptions = true,
        description = "Creates Baton's schema or brings it up to date. Safe to run from many processes at once.",
        header = {
            "Creates Baton's schema or brings it up to date.",
            "",
            "Examples:",
            "  baton migrate --database-url postgres://owner@db/shop",
            "  baton migrate --dry-run                      what would be applied",
            "  baton migrate --print-sql > V7__baton.sql    for Flyway, Liquibase or a careful DBA",
            "  baton migrate --print-sql --from 14 > V8__baton.sql    the later steps, after an upgrade of Baton",
            "  baton migrate --print-roles | psql -X -v ON_ERROR_STOP=1 --single-transaction -d shop",
            "                                               roles: owner, append, worker, read-only, replication",
            "",
        })
final class MigrateCommand implements Callable<Integer> {
    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Option(names = "--dry-run", description = "Only say what would be applied.")
    private boolean dryRun;

    @Option(names = "--print-sql", description = "Print the whole schema as one script; touches no database.")
    private boolean printSql;

    @Option(
            names = "--from",
            paramLabel = "N",
            description = "With --print-sql: only what comes after step N, for a schema that is at step N.")
    private @Nullable Integer from;

    @Option(names = "--print-roles", description = "Print the script that creates the roles; touches no database.")
    private boolean printRoles;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() {
        SchemaName name = new SchemaName(database.schema());
        if (from != null && !printSql) {
            throw new UsageException("--from is for --print-sql: add it, or leave --from out.");
        }
        if (printSql) {
            System.out.print(from == null ? Baton.schemaScript(name) : Baton.schemaScript(name, from));
        } else if (printRoles) {
            System.out.print(Baton.rolesScript(name));
        } else {
            migrate(name);
        }
        return ExitCode.DONE;
    }

    private void migrate(SchemaName name) {
        try (ChosenDatabase chosen = database.choose()) {
            Schema schema = chosen.builder().migrations();
            List<Migration> steps = dryRun ? schema.pending() : schema.migrate();
            if (json) {
                Output.json(asMap(name, steps));
            } else if (steps.isEmpty()) {
                System.err.println("Schema '" + name + "' is up to date.");
            } else {
                steps.forEach(step ->
                        System.out.println((dryRun ? "would apply " : "applied ") + step.number() + " " + step.name()));
            }
        }
    }

    private Map<String, Object> asMap(SchemaName name, List<Migration> steps) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("schema", name.name());
        map.put("applied", !dryRun);
        map.put("steps", steps.stream().map(MigrateCommand::asMap).toList());
        return map;
    }

    private static Map<String, Object> asMap(Migration step) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("number", step.number());
        map.put("name", step.name());
        return map;
    }
}
