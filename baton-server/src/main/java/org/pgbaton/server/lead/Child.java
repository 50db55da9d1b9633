package org.pgbaton.server.lead;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.pgbaton.leadership.State;
import org.pgbaton.leadership.Term;
import org.pgbaton.server.ExitCode;

/**
 * The command, from start to exit code.
 *
 * <p>It shares our standard streams. When the term is over it gets SIGTERM, and after the grace time SIGKILL, with all its
 * descendants. When we are killed, even by {@code kill -9}, the kernel kills it too: on Linux it is started by
 * {@code setpriv --pdeathsig}, which ties it to the thread that starts it, so that thread stays. This does not reach the
 * command's own children, nor set-user-id programs, and other systems have nothing like it. And a frozen {@code baton} cannot
 * stop anything: then only the guard protects.
 */
final class Child {
    private final List<String> command;
    private final Term term;
    private final Duration grace;
    private final Signals signals;

    Child(List<String> command, Term term, Duration grace, Signals signals) {
        this.command = command;
        this.term = term;
        this.grace = grace;
        this.signals = signals;
    }

    int run() throws InterruptedException {
        Process process;
        try {
            process = start();
        } catch (IOException refused) {
            System.err.println("baton: '" + command.get(0) + "' cannot be executed: " + refused.getMessage());
            return ExitCode.CANNOT_EXECUTE;
        }
        signals.sendTo(signal -> send(signal, process));
        try {
            CompletableFuture.anyOf(process.onExit(), term.whenOver()).get();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } catch (InterruptedException signalled) {
            send("TERM", process); // it came between the last look and the hand-over of signals
        }
        if (process.isAlive()) {
            if (term.state() == State.LOST) {
                System.err.println("baton: leadership '" + term.leadership() + "' is lost ("
                        + term.whenOver().join() + "); ending the command.");
            }
            end(process);
        }
        return process.waitFor();
    }

    private Process start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(tied(command)).inheritIO();
        builder.environment().put("BATON_LEADERSHIP", term.leadership());
        builder.environment().put("BATON_EPOCH", Long.toString(term.epoch()));
        return builder.start();
    }

    private static List<String> tied(List<String> command) {
        if (!System.getProperty("os.name").equals("Linux")
                || Executable.find("setpriv").isEmpty()) {
            return command;
        }
        List<String> tied = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL", "--"));
        tied.addAll(command);
        return tied;
    }

    private void end(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS)) {
            List<ProcessHandle> descendants = process.descendants().toList();
            process.destroyForcibly();
            descendants.forEach(ProcessHandle::destroyForcibly);
        }
    }

    private static void send(String signal, Process process) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException noKill) {
            process.destroy();
        } catch (InterruptedException impossible) {
            Thread.currentThread().interrupt();
        }
    }
}
