package org.pgbaton.server.logs;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.pgbaton.Baton;
import org.pgbaton.log.LogException;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.DatabaseOptions;
import org.pgbaton.server.command.UsageException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the commands about logs have in common: a database, and two ways to print. */
abstract class LogsTask implements Callable<Integer> {
    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** @return the exit code */
    abstract int run(Baton baton) throws IOException;

    boolean json() {
        return json;
    }

    @Override
    public Integer call() throws IOException {
        try (ChosenDatabase chosen = database.choose();
                // Only the embedded database belongs to Baton and may be new.
                Baton baton = chosen.open(chosen.isEmbedded())) {
            return run(baton);
        } catch (LogException wrong) {
            // A log or a position that is not there, a name that is taken: what was asked for makes no sense here.
            throw new UsageException(wrong.getMessage());
        }
    }
}
