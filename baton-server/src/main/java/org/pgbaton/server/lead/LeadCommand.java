package org.pgbaton.server.lead;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Holder;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.leadership.Term;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.DatabaseOptions;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.UsageException;
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
            "A run counts for --at-most-every if the command exited with 0, or while it still runs; one that failed or was "
                    + "killed may be tried again by anybody at once, unless --at-least-for holds. The database's clock judges.",
            "With --cron it stays, and runs the command at each due time in one of all processes that were started so; the "
                    + "command also gets BATON_DUE. The exit code of a run is recorded and does not end it; a signal does, with 0.",
            "Without --cron it exits with the command's own code, with 75 if somebody else leads or it was done recently, with 126 or 127 if the "
                    + "command cannot start."
        },
        header = {
            "Runs a command only while leading.",
            "",
            "Examples:",
            "  baton lead nightly --at-most-every 12h -- ./report.sh   from cron on every host: one of them runs it",
            "  baton lead nightly -- ./report.sh                  exit 75 at once if somebody else runs it",
            "  baton lead nightly --timeout 30s -- ./report.sh    wait, but not longer",
            "  baton lead worker --wait -- ./worker               stand by; take over within milliseconds of a crash",
            "  baton lead nightly --cron '0 3 * * *' --zone Europe/Berlin -- ./report.sh   on every host: one of them runs it",
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
    private DatabaseOptions database = new DatabaseOptions().neverEmbeddedByDefault();

    @Option(names = "--wait", description = "Stand by until nobody else leads.")
    private boolean wait;

    @Option(names = "--timeout", paramLabel = "TIME", description = "Stand by, but not longer than this, then exit 75.")
    private @Nullable Duration timeout;

    @Option(
            names = "--at-most-every",
            paramLabel = "TIME",
            description = "Exit 75 if a run that began less than this ago, on whatever host, ended well.")
    private @Nullable Duration atMostEvery;

    @Option(
            names = "--at-least-for",
            paramLabel = "TIME",
            description =
                    "Once it has begun, nobody else with one of these two options begins before this has passed, even if "
                            + "it fails.")
    private @Nullable Duration atLeastFor;

    @Mixin
    private CronOptions cron = new CronOptions();

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
        cron.check(wait || timeout != null || atMostEvery != null || atLeastFor != null || key != null);
        requireSensible("--at-most-every", atMostEvery);
        requireSensible("--at-least-for", atLeastFor);
        database.requireNamed();
        Leadership.requireName(name); // refuses a bad name before anything is started
        int missing = Executable.problem(command.get(0));
        if (missing != 0) {
            return missing;
        }
        Signals signals = Signals.catching();
        try {
            return lead(signals);
        } catch (InterruptedException | RuntimeException failure) {
            // A signal interrupts an attempt to connect, which then fails with any exception.
            if (signals.number() == 0) {
                throw failure;
            }
            return ExitCode.SIGNAL + signals.number();
        }
    }

    private static void requireSensible(String option, @Nullable Duration value) {
        if (value != null && (value.isZero() || value.compareTo(Duration.ofDays(366)) > 0)) {
            throw new UsageException(option + " takes 1ms to 366d; leave it out to run whenever nobody leads.");
        }
    }

    private int lead(Signals signals) throws InterruptedException {
        List<String> tie = Child.tie();
        try (ChosenDatabase chosen = database.choose();
                Baton baton = chosen.open(!noMigrate)) {
            if (cron.isGiven()) {
                new ScheduledCommand(due -> new Child(tie, command, chosen, due.term(), grace, Signals.none()), grace)
                        .run(cron.schedule(baton, name, lease));
                return ExitCode.DONE;
            }
            LeadershipAttempt attempt = attempt(leadership(baton));
            if (attempt instanceof LeadershipAttempt.Leading won) {
                return run(new Child(tie, command, chosen, won.leading(), grace, signals), won.leading());
            }
            Output.say("baton: Leadership '" + name + "' " + explained(attempt));
            return ExitCode.TRY_LATER;
        }
    }

    private Leadership leadership(Baton baton) {
        Leadership leadership = baton.leadership(name).lease(lease);
        if (key != null) {
            leadership = leadership.key(key);
        }
        if (atMostEvery != null) {
            leadership = leadership.atMostEvery(atMostEvery);
        }
        return atLeastFor == null ? leadership : leadership.atLeastFor(atLeastFor);
    }

    private int run(Child child, Term term) throws InterruptedException {
        int code;
        try (term) {
            code = child.run();
            if (code == ExitCode.DONE) {
                term.done();
            }
        }
        if (code == ExitCode.DONE && atMostEvery != null && !term.isRecorded()) {
            Output.say("baton: Leadership '" + name + "': the command ended well, but that could not be recorded; "
                    + "another may run it again at once.");
        }
        return code;
    }

    private LeadershipAttempt attempt(Leadership leadership) throws InterruptedException {
        if (wait) {
            return new LeadershipAttempt.Leading(leadership.lead());
        }
        return timeout == null ? leadership.tryLead() : leadership.lead(timeout);
    }

    private String explained(LeadershipAttempt attempt) {
        if (attempt instanceof LeadershipAttempt.NotNow notNow) {
            return (notNow.endedWell() ? "was done by " : "was tried by ") + notNow.by() + " at " + notNow.began()
                    + "; the next run may begin at " + notNow.next() + ".";
        }
        Holder holder = attempt instanceof LeadershipAttempt.Held held ? held.holder() : null;
        return "is held by " + (holder == null ? "somebody else" : holder)
                + (timeout == null
                        ? "; add --wait to stand by."
                        : "; waited " + Durations.shown(timeout) + " in vain.");
    }
}
