package org.pgbaton.server;

import java.util.List;
import java.util.concurrent.Callable;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import picocli.CommandLine.Command;

/**
 * Loads the classes that nearly every command needs, so that they get into the class archive from which {@code ./baton} starts. Works without
 * a database: it tries to connect to a port where nobody listens.
 */
@Command(name = "warm-up", hidden = true)
final class WarmUpCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        Output.table(List.of("A"), List.of(List.of("1")));
        Main.run("lead", "--help");
        try {
            Baton.open("postgres://baton@127.0.0.1:1/none").close();
        } catch (DatabaseException expected) {
            Failure.report(expected);
        }
        return ExitCode.DONE;
    }
}
