package org.pgbaton.server.lead;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.database.SchemaName;
import org.pgbaton.leadership.Attempt;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.LeadershipOptions;
import org.pgbaton.leadership.Term;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.Durations;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton lead}. */
@Command(
        name = "lead",
        mixinStandardHelpOptions = true,
        description = {
            "The command gets BATON_LEADERSHIP and BATON_EPOCH; put "
                    + "SELECT baton.guard('NAME', EPOCH) into its transactions and no late write gets through. With the embedded "
                    + "PostgreSQL it also gets BATON_DATABASE_URL.",
            "If leadership is lost, the command gets SIGTERM, and SIGKILL after --grace.",
            "Exits with the command's own code, with 75 if somebody else leads, with 126 or 127 if the command cannot start."
        },
        header = {
            "Runs a command only while leading.",
            "",
            "Examples:",
            "  baton lead nightly -- ./report.sh                  exit 75 at once if somebody else runs it",
            "  baton lead nightly --timeout 30s -- ./report.sh    wait, but not longer",
            "  baton lead worker --wait -- ./worker               stand by; take over within milliseconds of a crash",
            "",
        },
        footer = "TIME is written like 500ms, 30s, 5m or 2h.")
public final class LeadCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "NAME", description = "The leadership: 1 to 200 characters.")
    private String name = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "-- COMMAND",
            description = "The command and its arguments.")
    private List<String> command = List.of();

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Option(names = "--wait", description = "Stand by until nobody else leads.")
    private boolean wait;

    @Option(names = "--timeout", paramLabel = "TIME", description = "Stand by, but not longer than this, then exit 75.")
    private @Nullable Duration timeout;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "How long a frozen or cut-off leader keeps the lock (default: 10s, at least 2s).")
    private Duration lease = Duration.ofSeconds(10);

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "How long the command may take to end after SIGTERM (default: 10s).")
    private Duration grace = Duration.ofSeconds(10);

    @Option(
            names = "--key",
            paramLabel = "NUMBER",
            description = "Take this advisory lock, to exclude programs that call pg_advisory_lock themselves.")
    private @Nullable Long key;

    @Option(names = "--no-migrate", description = "Never change Baton's schema; refuse to start if it does not fit.")
    private boolean noMigrate;

    @Override
    public Integer call() throws Exception {
        if (wait && timeout != null) {
            throw new UsageException("--wait waits for ever and --timeout does not; give one of them.");
        }
        LeadershipOptions.of(new SchemaName(database.schema()), name); // before anything is started
        int missing = Executable.problem(command.get(0));
        if (missing != 0) {
            return missing;
        }
        Signals signals = Signals.catching();
        try {
            return lead(signals);
        } catch (InterruptedException | RuntimeException failure) {
            // An interrupted attempt to connect fails like any other.
            if (signals.number() == 0) {
                throw failure;
            }
            return ExitCode.SIGNAL + signals.number();
        }
    }

    private int lead(Signals signals) throws InterruptedException {
        List<String> tie = Child.tie();
        try (DatabaseOptions.Place place = database.place();
                Baton baton = database.open(place, !noMigrate)) {
            Leadership leadership = baton.leadership(name).lease(lease);
            if (key != null) {
                leadership = leadership.key(key);
            }
            Attempt attempt = attempt(leadership);
            if (attempt instanceof Attempt.Leading won) {
                try (Term term = won.leading()) {
                    return new Child(tie, command, place, term, grace, signals).run();
                }
            }
            explain((Attempt.Held) attempt);
            return ExitCode.TRY_LATER;
        }
    }

    private Attempt attempt(Leadership leadership) throws InterruptedException {
        if (wait) {
            return new Attempt.Leading(leadership.lead());
        }
        return timeout == null ? leadership.tryLead() : leadership.lead(timeout);
    }

    private void explain(Attempt.Held held) {
        System.err.println("baton: Leadership '" + name + "' is held by "
                + (held.holder() == null ? "somebody else" : held.holder())
                + (timeout == null
                        ? "; add --wait to stand by."
                        : "; waited " + Durations.shown(timeout) + " in vain."));
    }
}
