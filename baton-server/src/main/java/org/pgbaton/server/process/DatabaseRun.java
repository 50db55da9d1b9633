package org.pgbaton.server.process;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.config.ConfigurationException;
import org.pgbaton.server.serve.BatonYaml;
import org.pgbaton.server.serve.BatonYamlOutput;
import org.pgbaton.server.serve.DatabaseFit;
import org.pgbaton.server.serve.DatabaseWait;
import org.pgbaton.server.serve.Serving;
import org.pgbaton.server.serve.Workload;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one database, on a thread of its own, until it is closed. Waits for the database, checks the file against it, and starts what is to run
 * there. What goes wrong concerns this database alone. It is tried again until it works, or until somebody closes this; after a refusal only when
 * the file was read again.
 *
 * <p>Once served, a database stays served: Baton itself goes on when a database that was away is back. Thread-safe.
 */
final class DatabaseRun implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DatabaseRun.class);
    private static final long AWAY_MILLIS = 1_000;
    private static final long REFUSED_MILLIS = 10_000;

    private final String name;
    private final String about;
    private final ChosenDatabase chosen;
    private final boolean migrate;
    private final Duration wait;
    private final ServePort port;
    private final DistinctDatabases others;
    private final CompletableFuture<Void> firstTry = new CompletableFuture<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final ExecutorService changes;
    private final Thread thread;
    private volatile BatonYaml yaml;
    private @Nullable BatonYaml tried;
    private volatile @Nullable Baton baton;
    private volatile @Nullable Serving serving;
    private volatile @Nullable Throwable trouble;
    private volatile @Nullable String told;
    private boolean isShown;
    private boolean hasBegun; // whether the last try has begun to start what is to run
    private boolean isStarted; // guarded by this
    private boolean mayInterrupt = true; // guarded by this
    private boolean isEnding; // guarded by this

    /**
     * @param name empty if it is the only one
     * @param yaml what runs on it
     * @param wait how long its first try may wait for the database
     */
    DatabaseRun(
            String name,
            BatonYaml yaml,
            ChosenDatabase chosen,
            boolean migrate,
            Duration wait,
            ServePort port,
            DistinctDatabases others) {
        this.name = name;
        this.about = name.isEmpty() ? "" : name + ": ";
        this.yaml = yaml;
        this.chosen = chosen;
        this.migrate = migrate;
        this.wait = wait;
        this.port = port;
        this.others = others;
        this.thread = daemon(this::run, "baton-serve" + suffix());
        this.changes = Executors.newSingleThreadExecutor(task -> daemon(task, "baton-change" + suffix()));
    }

    private String suffix() {
        return name.isEmpty() ? "" : "-" + name;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    void start() {
        thread.start();
    }

    String name() {
        return name;
    }

    /** Done when it is served; or, exceptionally, when the first try has failed. */
    CompletableFuture<Void> firstTry() {
        return firstTry;
    }

    /** A step of the start. */
    @FunctionalInterface
    private interface Step<T> {
        T take(DatabaseWait patience) throws InterruptedException;
    }

    private void run() {
        DatabaseWait patience = new DatabaseWait(about, wait, System::nanoTime);
        try {
            Baton opened = untilItWorks(patience, first -> first.take(() -> chosen.open(migrate)));
            baton = opened;
            try {
                untilItWorks(patience, first -> {
                    serve(opened, first);
                    return true;
                });
            } finally {
                withoutInterrupt(opened::close);
            }
        } catch (InterruptedException ended) {
            // Somebody closes this.
        } finally {
            firstTry.cancel(false);
        }
    }

    private <T> T untilItWorks(DatabaseWait first, Step<T> step) throws InterruptedException {
        DatabaseWait patience = first;
        while (true) {
            try {
                return step.take(patience);
            } catch (RuntimeException | Error failure) {
                if (isClosing()) {
                    throw new InterruptedException(); // the signal interrupts a start, which then fails with any
                    // exception
                }
                boolean waits = waitsForAFile(failure);
                failed(failure, waits);
                if (waits) {
                    awaitAnotherFile();
                } else {
                    Thread.sleep(isAway(failure) ? AWAY_MILLIS : REFUSED_MILLIS);
                }
                patience = DatabaseWait.none();
            }
        }
    }

    /** A start that is refused in the middle has published already, and forgets how far it was: each try would publish that again. */
    private boolean waitsForAFile(Throwable failure) {
        return failure instanceof ConfigurationException
                || (hasBegun && failure instanceof BatonException && !isAway(failure));
    }

    private synchronized void awaitAnotherFile() throws InterruptedException {
        while (yaml == tried) {
            wait();
        }
    }

    /** Returns when somebody closes this. */
    private void serve(Baton opened, DatabaseWait patience) throws InterruptedException {
        BatonYaml wanted = yaml;
        tried = wanted;
        hasBegun = false;
        if (!name.isEmpty()) {
            patience.run(() -> others.require(name, wanted, chosen));
        }
        patience.run(() -> DatabaseFit.require(wanted, opened, chosen));
        Serving.say(about + opened.who() + " serves " + BatonYamlOutput.counts(wanted) + " of " + wanted.file() + " on "
                + chosen.url() + ", schema '" + chosen.schema() + "'.");
        BatonYamlOutput.lines(wanted).forEach(line -> Serving.say(about + line));
        Serving next = new Serving(wanted, opened, about, port.url() != null);
        try {
            serving = next;
            if (isClosing()) {
                throw new InterruptedException(); // nobody has told this one that it ends
            }
            show(opened);
            hasBegun = true;
            next.start(patience);
            begun(next, wanted);
            closing.await();
        } finally {
            synchronized (this) {
                isStarted = false;
            }
            withoutInterrupt(next::close);
            serving = null;
        }
    }

    /** Otherwise closing would not wait for the work in progress. */
    private void withoutInterrupt(Runnable close) {
        synchronized (this) {
            mayInterrupt = false;
            Thread.interrupted();
        }
        try {
            close.run();
        } finally {
            synchronized (this) {
                mayInterrupt = true;
            }
        }
    }

    /** While this changes what runs, {@link #change} only notes the file. So the latest file is the one that runs in the end. */
    private void begun(Serving next, BatonYaml wanted) {
        BatonYaml current = wanted;
        while (!isStartedWith(current)) {
            BatonYaml later = yaml; // the file was read again during the start
            Reload.attempt(about, () -> {
                DatabaseFit.require(later, next.baton(), chosen);
                next.change(later);
            });
            current = later;
        }
        trouble = null;
        firstTry.complete(null);
    }

    private synchronized boolean isStartedWith(BatonYaml current) {
        isStarted = yaml == current;
        return isStarted;
    }

    /** Metrics cannot be bound twice, so a later try leaves them as they are. */
    private void show(Baton opened) {
        if (!isShown) {
            isShown = true;
            port.show(opened, name, this::served);
            if (name.isEmpty()) {
                port.tellAddresses();
            }
        }
    }

    private void failed(Throwable failure, boolean waits) {
        trouble = failure;
        String sentence = String.valueOf(failure.getMessage());
        if (!name.isEmpty() && !sentence.equals(told)) {
            told = sentence;
            tell(failure, sentence, waits);
        }
        log.debug("Cannot serve {}", about, failure);
        firstTry.completeExceptionally(failure);
    }

    private void tell(Throwable failure, String sentence, boolean waits) {
        if (isAway(failure)) {
            Output.warn("baton: " + about + sentence + " It is tried again; other databases go on.");
            return;
        }
        if (failure instanceof ConfigurationException) {
            sentence.lines().forEach(Output::complain);
        } else {
            Output.complain("baton: " + about + sentence);
        }
        Output.complain("baton: " + about + "Nothing runs on this database until that is put right; "
                + (waits ? "then send SIGHUP, or restart." : "it is tried again.") + " Other databases go on.");
    }

    private static boolean isAway(Throwable failure) {
        return failure instanceof DatabaseException away && away.fault().passes();
    }

    /** Runs what the file says now, in the background. */
    void reload(BatonYaml whole) {
        changes.execute(() -> change(yaml.samePartOf(whole)));
    }

    private void change(BatonYaml next) {
        Serving current;
        synchronized (this) {
            current = serving;
            if (!isStarted || current == null) {
                yaml = next;
                told = null; // a file that is refused again is told again
                notifyAll();
                Serving.say(
                        about + "SIGHUP: " + next.file() + " is read again, and counts when the database is served.");
                return;
            }
        }
        Reload.attempt(about, () -> {
            DatabaseFit.require(next, current.baton(), chosen);
            Workload.Change change = current.change(next);
            yaml = next;
            Serving.say(about + "SIGHUP: " + next.file() + " is read again: " + change.started() + " started, "
                    + change.ended() + " ended, " + change.kept() + " went on.");
        });
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    /** False if it hangs. */
    boolean isAlive() {
        Serving current = serving;
        return (thread.isAlive() || isClosing()) && (current == null || current.isAlive());
    }

    boolean isReady() {
        Serving current = serving;
        return current != null && current.isReady();
    }

    /** Whether it does not run for another reason than a database that is away. */
    boolean isRefused() {
        Throwable known = trouble;
        return known != null && !isAway(known);
    }

    /** One word. */
    String state() {
        if (serving != null) {
            return isReady() ? "served" : "starting or unreachable";
        }
        return isRefused() ? "refused" : "awaited";
    }

    /** For {@code /readyz}. */
    Map<String, Object> readiness() {
        Serving current = serving;
        if (current != null) {
            return current.readiness();
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("ready", false);
        answer.put("database", isRefused() ? "refused" : "awaited");
        Throwable known = trouble;
        if (known != null) {
            answer.put("trouble", Output.shortened(String.valueOf(known.getMessage()), 300));
        }
        return answer;
    }

    /** Null until it was opened. */
    @Nullable
    Baton baton() {
        return baton;
    }

    private List<ServedPart> served() {
        Serving current = serving;
        return current == null ? List.of() : current.served();
    }

    /** Begins to close, and does not wait for the end. */
    synchronized void end() {
        if (isEnding) {
            return; // a second interrupt would cut short what the first one has ended
        }
        isEnding = true;
        changes.shutdownNow();
        closing.countDown();
        Serving current = serving;
        if (current != null) {
            current.ending();
        }
        if (!isStarted && mayInterrupt) {
            thread.interrupt(); // once it is served, it ends by itself, and an interrupt would cut the end short
        }
    }

    /** Waits until the work in progress is done. */
    @Override
    public void close() {
        end();
        try {
            thread.join();
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        chosen.close();
    }
}
