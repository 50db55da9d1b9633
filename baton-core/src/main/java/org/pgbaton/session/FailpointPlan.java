package org.pgbaton.session;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** What happens at a {@link Failpoint}, once. Thread-safe. */
final class FailpointPlan {
    private static final Logger log = LineLogger.of(FailpointPlan.class);

    /** What happens to a thread that passes. */
    private enum Action {
        /** The process ends as after {@code kill -9}. */
        CRASH,
        /** The process stops itself, as by SIGSTOP, until somebody sends SIGCONT. */
        FREEZE,
        /** This thread alone waits. */
        DELAY,
        /** This thread alone fails. */
        ERROR
    }

    /** Longer than any lease of a test. */
    private static final long DELAY_MILLIS = 5_000;

    private final Failpoint moment;
    private final Action action;
    private final AtomicInteger left;

    private FailpointPlan(Failpoint moment, Action action, int after) {
        this.moment = moment;
        this.action = action;
        this.left = new AtomicInteger(after);
    }

    /** @return null if nothing is planned */
    static @Nullable FailpointPlan of(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String[] parts = text.toUpperCase(Locale.ROOT).replace('-', '_').split(":", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException(
                    "baton.failpoint is '" + text + "': write MOMENT:ACTION:N, such as before-commit:crash:17.");
        }
        return new FailpointPlan(Failpoint.valueOf(parts[0]), Action.valueOf(parts[1]), Integer.parseInt(parts[2]));
    }

    void pass(Failpoint here) {
        if (here == moment && left.decrementAndGet() == 0) {
            log.warn("The failpoint {} is reached: {}", moment, action);
            tell();
            act();
        }
    }

    /** A test that started this process may wait for this file. */
    private static void tell() {
        String file = System.getProperty("baton.failpoint.file");
        if (file != null) {
            try {
                Files.writeString(Path.of(file), "reached");
            } catch (IOException refused) {
                throw new UncheckedIOException(refused);
            }
        }
    }

    private void act() {
        switch (action) {
            case CRASH -> Runtime.getRuntime().halt(137);
            case FREEZE -> freeze();
            case DELAY -> delay();
            case ERROR -> throw new IllegalStateException("the failpoint " + moment + " was told to fail");
        }
    }

    private static void freeze() {
        try {
            long self = ProcessHandle.current().pid();
            new ProcessBuilder("kill", "-STOP", Long.toString(self)).start().waitFor();
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        } catch (InterruptedException told) {
            Thread.currentThread().interrupt();
        }
    }

    private static void delay() {
        try {
            Thread.sleep(DELAY_MILLIS);
        } catch (InterruptedException told) {
            Thread.currentThread().interrupt();
        }
    }
}
