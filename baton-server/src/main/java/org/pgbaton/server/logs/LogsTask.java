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

/** A command about logs, with the options that choose a database and {@code --json}. */
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
            // A log or a position does not exist, or a name is taken: the command line makes no sense on this database.
            throw new UsageException(wrong.getMessage());
        }
    }
}
