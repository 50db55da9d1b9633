package org.pgbaton.server.lead;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pgbaton.leadership.LeadershipLostException;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.leadership.Term;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;

/**
 * Runs the command of {@code baton lead}, from its start to its exit code.
 *
 * <p>The command shares our standard streams. How it ends:
 *
 * <ul>
 *   <li>When the term is over, the command gets SIGTERM. When it has ended, the descendants that it left get SIGTERM. What is alive after the grace
 *       time gets SIGKILL.
 *   <li>When {@code baton} itself is killed, even by {@code kill -9}, the kernel kills the command. On Linux {@code setpriv --pdeathsig} starts the
 *       command and ties it to the thread that called it, so this thread must stay alive. It does not work for children of the command, for
 *       set-user-id programs, and on other systems.
 *   <li>A frozen {@code baton} cannot stop anything. Only the guard protects then.
 * </ul>
 */
final class Child {
    private static final List<String> SETPRIV = List.of("setpriv", "--pdeathsig", "KILL", "--");

    private final List<String> tie;
    private final List<String> command;
    private final ChosenDatabase database;
    private final Term term;
    private final Duration grace;
    private final Signals signals;
    private final Map<String, String> variables = new HashMap<>();
    private final CompletableFuture<String> stop = new CompletableFuture<>();

    /** @param tie the result of {@link #tie} */
    Child(List<String> tie, List<String> command, ChosenDatabase database, Term term, Duration grace, Signals signals) {
        this.tie = tie;
        this.command = command;
        this.database = database;
        this.term = term;
        this.grace = grace;
        this.signals = signals;
    }

    /** One more variable for the command. */
    Child with(String variable, String value) {
        variables.put(variable, value);
        return this;
    }

    /** Ends the command as if the term were over, and returns at once. */
    void stop() {
        stop.complete("stopped");
    }

    int run() throws InterruptedException {
        try {
            // This process may have been frozen since it won. The guard cannot protect the start of the command, so ask
            // right before it.
            term.confirm();
        } catch (LeadershipLostException late) {
            Output.say(
                    "baton: Leadership '" + term.leadership() + "' was lost before the command could be started (epoch "
                            + term.epoch() + " is over); it was not started.");
            return ExitCode.TRY_LATER;
        }
        Process process;
        try {
            process = start();
        } catch (IOException refused) {
            Output.say("baton: '" + command.get(0) + "' cannot be executed: " + refused.getMessage());
            return ExitCode.CANNOT_EXECUTE;
        }
        signals.sendTo(signal -> send(signal, process));
        CompletableFuture<String> over = term.whenOver();
        try {
            CompletableFuture.anyOf(process.onExit(), over, stop).get();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } catch (InterruptedException signalled) {
            send("TERM", process); // a signal came before signals were sent to the command
        }
        if (process.isAlive()) {
            if (term.state() == LeadershipState.LOST) {
                Output.say("baton: Leadership '" + term.leadership() + "' is lost (" + over.join()
                        + "); ending the command.");
            }
            end(process);
        }
        return process.waitFor();
    }

    private Process start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(join(tie, command)).inheritIO();
        Map<String, String> environment = builder.environment();
        environment.put("BATON_LEADERSHIP", term.leadership());
        environment.put("BATON_EPOCH", Long.toString(term.epoch()));
        environment.putAll(variables);
        database.nameTo(environment);
        String locale = environment.remove("BATON_LC_ALL");
        if (locale != null) {
            environment.put("LC_ALL", locale); // the script baton has changed it for Java
        }
        return builder.start();
    }

    /**
     * The words to put before the command so that it dies with this process; empty where that is not possible. Tries it out, because an old
     * {@code setpriv}, or that of BusyBox, does not know the option. To be called before leading, because starting a process takes time.
     */
    static List<String> tie() throws InterruptedException {
        if (!System.getProperty("os.name").equals("Linux")
                || Executable.find("setpriv").isEmpty()) {
            return List.of();
        }
        try {
            Process probe = new ProcessBuilder(join(SETPRIV, List.of("true")))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            return probe.waitFor() == 0 ? SETPRIV : List.of();
        } catch (IOException cannotRun) {
            return List.of();
        }
    }

    private static List<String> join(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** Ends the command and its descendants: a shell leaves its children behind, and they must not go on either. */
    private void end(Process process) throws InterruptedException {
        long end = System.nanoTime() + grace.toNanos();
        Set<ProcessHandle> family = process.descendants().collect(Collectors.toCollection(LinkedHashSet::new));
        process.destroy();
        awaitExit(List.of(process.toHandle()), end);
        process.descendants().forEach(family::add);
        family.forEach(ProcessHandle::destroy);
        awaitExit(family, end);
        process.destroyForcibly();
        family.forEach(ProcessHandle::destroyForcibly);
    }

    private static void awaitExit(Collection<ProcessHandle> processes, long end) throws InterruptedException {
        CompletableFuture<?>[] exits =
                processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(exits).get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException tooSlow) {
            // The caller kills them.
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Uses the kill of the shell, because small containers have no program of that name. */
    private static void send(String signal, Process process) {
        try {
            new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                    .redirectError(Redirect.DISCARD) // it may just have ended
                    .start()
                    .waitFor();
        } catch (IOException noShell) {
            process.destroy();
        } catch (InterruptedException impossible) {
            Thread.currentThread().interrupt();
        }
    }
}
