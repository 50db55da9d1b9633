package org.pgbaton.server.lead;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.leadership.Term;
import org.pgbaton.schedule.Schedule;
import org.pgbaton.schedule.ScheduleBuilder;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;

/**
 * Runs the command of {@code baton lead --cron} at each due time, if this process leads, until a signal comes. Says one line for each run.
 *
 * <p>A signal interrupts the thread that called {@link #run}. Then nothing new is begun; a command that runs gets SIGTERM, and SIGKILL
 * after the grace time; its run is recorded.
 */
final class ScheduledCommand {
    /** For what is recorded after the command has ended. */
    private static final Duration TO_RECORD = Duration.ofSeconds(5);

    /** A run that is due. */
    record Due(Term term, Instant at) {}

    private final Function<Due, Child> children;
    private final Duration grace;
    private @Nullable Child running;
    private boolean stopped;

    ScheduledCommand(Function<Due, Child> children, Duration grace) {
        this.children = children;
        this.grace = grace;
    }

    /** Returns after a signal, when the command has ended and leadership is handed over. */
    void run(ScheduleBuilder builder) {
        Schedule schedule = builder.run(this::perform);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException signal) {
            stop();
        } finally {
            schedule.close(grace.plus(TO_RECORD));
        }
    }

    private void perform(Term term, Instant due) throws Exception {
        Child child = children.apply(new Due(term, due)).with("BATON_DUE", due.toString());
        begin(child);
        long start = System.nanoTime();
        int code;
        try {
            code = child.run();
        } finally {
            begin(null);
        }
        String took = Durations.shown(Duration.ofNanos(System.nanoTime() - start));
        Output.say("baton: " + term.leadership() + " due " + due + ": " + (code == ExitCode.DONE ? "done" : "failed")
                + " after " + took + ", exit code " + code);
        if (code != ExitCode.DONE) {
            throw new CommandFailed(code);
        }
    }

    /** Null: none runs any more. */
    private synchronized void begin(@Nullable Child child) {
        running = child;
        if (stopped && child != null) {
            child.stop();
        }
    }

    private synchronized void stop() {
        stopped = true;
        if (running != null) {
            running.stop();
        }
    }

    /** The command ended with another code than 0. */
    private static final class CommandFailed extends BatonException {
        private static final long serialVersionUID = 1L;

        CommandFailed(int code) {
            super("exit code " + code, null);
        }
    }
}
