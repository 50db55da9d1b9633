package org.pgbaton.server.process;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.schema.SchemaException;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.DatabaseAnswer;
import org.pgbaton.server.command.DatabaseOptions;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.server.serve.BatonYaml;
import org.pgbaton.server.serve.BatonYamlOutput;
import org.pgbaton.server.serve.DatabaseFit;
import org.pgbaton.server.serve.Serving;

/** {@code baton serve --check}: says whether a file is right, and what would run. Databases are not changed. */
final class FileCheck {
    private final BatonYaml yaml;
    private final DatabaseOptions database;
    private final boolean json;

    FileCheck(BatonYaml yaml, DatabaseOptions database, boolean json) {
        this.yaml = yaml;
        this.database = database;
        this.json = json;
    }

    /** @return the exit code */
    int run() throws InterruptedException {
        return yaml.databases().isEmpty() ? checkOne() : checkSeveral();
    }

    private int checkOne() {
        String unchecked = unchecked();
        if (json) {
            Output.json(BatonYamlOutput.asMap(yaml, unchecked == null));
        } else {
            BatonYamlOutput.printTables(yaml);
        }
        Serving.say(yaml.file() + " is right."
                + (unchecked == null ? "" : " Logs and subscriptions were not checked: " + unchecked));
        return ExitCode.DONE;
    }

    /** Returns null, or why the file could not be checked against the database. */
    private @Nullable String unchecked() {
        if (!database.isNamed()) {
            return database.isEmbedded()
                    ? "that would start the embedded PostgreSQL."
                    : "no database is named; 'serve' needs one (--database-url, BATON_DATABASE_URL, 'database' in the file), or "
                            + "--embedded.";
        }
        try (ChosenDatabase chosen = database.choose()) {
            return unchecked(yaml, chosen);
        }
    }

    private static @Nullable String unchecked(BatonYaml part, ChosenDatabase chosen) {
        try (Baton baton = chosen.open(false)) {
            DatabaseFit.require(part, baton, chosen);
            return null;
        } catch (SchemaException notMigrated) {
            return notMigrated.getMessage();
        } catch (DatabaseException away) {
            if (!isAway(away)) {
                throw away;
            }
            return away.getMessage();
        }
    }

    private int checkSeveral() throws InterruptedException {
        List<DatabaseAnswer<Map<String, @Nullable Object>>> answers = DatabaseAnswer.ofAll(
                yaml.databases(), database, (named, chosen) -> asMap(named.name(), unchecked(yaml.on(named), chosen)));
        boolean isChecked = answers.stream()
                .allMatch(each -> each.answer() != null
                        && Boolean.TRUE.equals(each.answer().get("checked")));
        if (json) {
            Map<String, Object> all = BatonYamlOutput.asMap(yaml, isChecked);
            all.put(
                    "databases",
                    answers.stream()
                            .map(each -> each.answer() == null ? asMap(each.name(), each.sentence()) : each.answer())
                            .toList());
            Output.json(all);
        } else {
            BatonYamlOutput.printTables(yaml);
        }
        int code = ExitCode.DONE;
        for (DatabaseAnswer<Map<String, @Nullable Object>> each : answers) {
            Map<String, @Nullable Object> answer = each.answer();
            if (answer != null) {
                if (answer.get("trouble") != null) {
                    sayUnchecked(each.name(), answer.get("trouble"));
                }
            } else if (isAway(each.failure())) {
                sayUnchecked(each.name(), each.sentence()); // it has not answered in time
            } else {
                code = ExitCode.CONFIGURATION;
                complain(each);
            }
        }
        if (code == ExitCode.DONE) {
            Serving.say(yaml.file() + " is right.");
        }
        return code;
    }

    private static boolean isAway(@Nullable RuntimeException failure) {
        return failure instanceof DatabaseException away && away.fault().passes();
    }

    private static void sayUnchecked(String name, @Nullable Object trouble) {
        Serving.say(name + ": Logs and subscriptions were not checked: " + trouble);
    }

    private static void complain(DatabaseAnswer<?> refusal) {
        if (refusal.failure() instanceof ConfigurationException) {
            Output.complain("baton: " + refusal.name() + " does not fit:");
            refusal.sentence().lines().forEach(Output::complain);
        } else {
            Output.complain("baton: " + refusal.name() + ": " + refusal.sentence());
        }
    }

    private static Map<String, @Nullable Object> asMap(String name, @Nullable String trouble) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("checked", trouble == null);
        map.put("trouble", trouble);
        return map;
    }
}
