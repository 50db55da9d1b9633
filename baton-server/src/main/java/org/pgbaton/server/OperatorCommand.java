package org.pgbaton.server;

import java.util.concurrent.Callable;
import org.pgbaton.Baton;
import picocli.CommandLine.Mixin;

/** A command for operators: it finds the schema as it is, and what it changes is recorded under the operator's name. */
public abstract class OperatorCommand implements Callable<Integer> {
    /** What the record says if nobody gave a reason and none is demanded. */
    public static final String NO_REASON = "by hand";

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Override
    public final Integer call() throws Exception {
        check();
        try (DatabaseOptions.Place place = database.place();
                Baton baton = database.openForOperator(place)) {
            return run(baton, place);
        }
    }

    /** Refuses what makes no sense on any database, before one is opened. */
    protected void check() {}

    /** @return the exit code */
    protected abstract int run(Baton baton, DatabaseOptions.Place place) throws Exception;

    protected final String schema() {
        return database.schema();
    }
}
