package org.pgbaton.server.command;

import java.util.concurrent.Callable;
import org.pgbaton.Baton;
import picocli.CommandLine.Mixin;

/** A command for operators. It does not migrate the schema, and what it changes is recorded under the operator's name. */
public abstract class OperatorCommand implements Callable<Integer> {
    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Override
    public final Integer call() throws Exception {
        check();
        try (ChosenDatabase chosen = database.choose();
                Baton baton = chosen.openForOperator()) {
            return run(baton, chosen);
        }
    }

    /** Refuses options that make no sense on any database. Called before a database is opened. */
    protected void check() {}

    /** @return the exit code */
    protected abstract int run(Baton baton, ChosenDatabase chosen) throws Exception;
}
