package org.pgbaton.server.demo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.http.RefusedException;
import org.pgbaton.dashboard.http.Stage;

/**
 * The workers of the demo, for the page that shows them. Kills are handed to the demo, which measures what follows; freezing and cutting are done
 * here, and undone after a while. Thread-safe.
 */
final class DemoStage implements Stage, AutoCloseable {
    /** Longer than the lease, so that others take over. */
    private static final Duration FROZEN = Duration.ofSeconds(15);

    private static final int MOST_NEWS = 4;

    private static final Duration CUT = Duration.ofSeconds(8);

    /** Until everything is as before. */
    private static final Duration RECOVERY = Duration.ofSeconds(10);

    private final List<Worker> workers;
    private final Consumer<String> terminal;
    private final BlockingQueue<Worker> kills = new LinkedBlockingQueue<>();
    private final List<Worker> frozen = new CopyOnWriteArrayList<>();
    private final List<Worker> cut = new CopyOnWriteArrayList<>();
    private final List<String> news = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "baton-demo-stage");
        thread.setDaemon(true);
        return thread;
    });
    private volatile boolean loose;
    private volatile long calmAt = System.nanoTime();

    /**
     * @param workers which the demo changes
     * @param terminal is told, too, what is done here
     */
    DemoStage(List<Worker> workers, boolean loose, Consumer<String> terminal) {
        this.workers = workers;
        this.terminal = terminal;
        this.loose = loose;
    }

    @Override
    public List<Actor> actors() {
        return workers.stream()
                .map(each -> new Actor(each.name(), each.pid(), state(each)))
                .toList();
    }

    private String state(Worker worker) {
        return frozen.contains(worker) ? "frozen" : cut.contains(worker) ? "cut off" : "working";
    }

    @Override
    public boolean isGremlinLoose() {
        return loose;
    }

    @Override
    public void gremlin(boolean isLoose) {
        loose = isLoose;
    }

    @Override
    public String act(String name, Deed deed) {
        Worker worker = workers.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new RefusedException(404, "There is no worker '" + name + "' any more."));
        switch (deed) {
            case KILL -> {
                if (isDisturbed()) {
                    throw new RefusedException(
                            409, "A worker is frozen or cut off, or was a moment ago: kill when all is calm again.");
                }
                kills.add(worker);
                return worker.name() + " is killed.";
            }
            case FREEZE -> {
                return freeze(worker);
            }
            case CUT -> {
                return cut(worker);
            }
        }
        throw new IllegalStateException();
    }

    private String freeze(Worker worker) {
        if (frozen.contains(worker)) {
            return worker.name() + " is frozen already.";
        }
        frozen.add(worker);
        disturb(FROZEN);
        worker.signal("STOP");
        later(FROZEN, () -> {
            worker.signal("CONT");
            frozen.remove(worker);
            tellAll(worker.name() + " goes on.");
        });
        tellAll(worker.name() + " is frozen for " + FROZEN.toSeconds() + " s; its lease ends before.");
        return "Frozen: " + worker.name();
    }

    private String cut(Worker worker) {
        if (cut.contains(worker)) {
            return worker.name() + " is cut off already.";
        }
        cut.add(worker);
        disturb(CUT);
        worker.link().cut();
        later(CUT, () -> {
            worker.link().mend();
            cut.remove(worker);
            tellAll(worker.name() + " reaches the database again.");
        });
        tellAll(worker.name() + " is cut off from the database for " + CUT.toSeconds() + " s.");
        return "Cut off: " + worker.name();
    }

    private void disturb(Duration time) {
        calmAt = Math.max(calmAt, System.nanoTime() + time.plus(RECOVERY).toNanos());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for the result
    private void later(Duration time, Runnable task) {
        clock.schedule(task, time.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public List<String> news() {
        return List.copyOf(news);
    }

    private void tellAll(String sentence) {
        tell(sentence);
        terminal.accept(sentence);
    }

    /** Something that can be read on the page, too. */
    void tell(String sentence) {
        news.add(0, sentence);
        while (news.size() > MOST_NEWS) {
            news.remove(news.size() - 1);
        }
    }

    /** Whether a worker is frozen or cut off, or was a moment ago. */
    boolean isDisturbed() {
        return System.nanoTime() < calmAt;
    }

    /** Asks for it once more, when it could not be done. */
    void killLater(Worker worker) {
        kills.add(worker);
    }

    /** The next worker that somebody wants killed; null if nobody did within that time. */
    @Nullable
    Worker nextKill(Duration atMost) throws InterruptedException {
        return kills.poll(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
