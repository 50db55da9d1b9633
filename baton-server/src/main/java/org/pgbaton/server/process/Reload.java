package org.pgbaton.server.process;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.server.command.OsSignal;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.Terminal;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.server.serve.ConfigOption;
import org.pgbaton.server.serve.Serving;

/**
 * Reads the file again at SIGHUP. A file with problems changes nothing, and all its problems are told. Otherwise relays, channels and captures
 * that are new, gone or changed are started and ended; the others go on undisturbed. What a process reads only when it starts (databases, http)
 * is named, and stays as it is. With several databases each changes on its own: one that is away delays only itself.
 *
 * <p>Signals are received on any thread; one thread of its own reads the file, one time after the other.
 */
final class Reload implements AutoCloseable {
    private final ConfigOption config;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread one = new Thread(task, "baton-reload");
        one.setDaemon(true);
        return one;
    });
    private volatile @Nullable Runnable task;

    private Reload(ConfigOption config) {
        this.config = config;
    }

    /** Until it {@linkplain #begin begins}, a signal changes nothing. */
    static Reload onSignal(ConfigOption config) {
        Reload reload = new Reload(config);
        if (!Terminal.isOutput()) { // see StopRequest
            OsSignal.handle("HUP", number -> reload.arrived());
        }
        return reload;
    }

    private void arrived() {
        Runnable known = task;
        if (known == null) {
            Serving.say("SIGHUP: the start is not over yet, so nothing is read again.");
        } else {
            thread.execute(known);
        }
    }

    void begin(ServedDatabases served) {
        task = () -> attempt("", () -> served.reload(config.read()));
    }

    /** What a signal asks for. */
    @FunctionalInterface
    interface Attempt {
        void run() throws InterruptedException;
    }

    /**
     * Tells what goes wrong.
     *
     * @param about what the sentences begin with
     */
    static void attempt(String about, Attempt attempt) {
        try {
            attempt.run();
        } catch (ConfigurationException wrong) {
            String.valueOf(wrong.getMessage()).lines().forEach(Output::complain);
            Output.complain("baton: " + about
                    + "SIGHUP: what runs goes on as it was configured before, as far as it was not ended.");
        } catch (UsageException | BatonException failure) {
            Output.complain("baton: " + about + "SIGHUP: nothing was changed: " + failure.getMessage());
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    /** From now on a signal changes nothing. */
    @Override
    public void close() {
        task = null;
        thread.shutdownNow();
    }
}
