package org.pgbaton.server.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.pgbaton.Baton;
import org.pgbaton.embedded.SharedPostgres;
import org.pgbaton.leadership.State;

/**
 * Three workers, one leads; the leader is killed, and the time is taken until another one reports that it leads. The verdict is
 * positive if every kill was followed by a takeover within five seconds and every epoch was higher than the one before.
 */
final class Demo {
    private static final int WORKERS = 3;
    private static final String SCHEMA = "baton_demo";
    private static final long PATIENCE_SECONDS = 60;
    private static final double SLOW_MILLIS = 5000;

    private final int rounds;
    private final BlockingQueue<Worker.Report> reports = new LinkedBlockingQueue<>();
    private final List<Worker> workers = new ArrayList<>();
    private final List<Double> takeovers = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private int started;
    private long epoch;
    private int standbys;

    Demo(int rounds) {
        this.rounds = rounds;
    }

    boolean run() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("baton-demo-");
        Thread runner = Thread.currentThread();
        Thread hook = new Thread(() -> stop(runner), "baton-demo-stop");
        try {
            say("Starting PostgreSQL and " + WORKERS + " workers …");
            try (SharedPostgres postgres = SharedPostgres.openUntilClosed(folder)) {
                Baton.builder(postgres.jdbcUrl()).schema(SCHEMA).open().close();
                Runtime.getRuntime().addShutdownHook(hook);
                killLeaders(postgres.jdbcUrl());
            } finally {
                for (Worker worker : workers) {
                    worker.kill();
                }
            }
        } finally {
            delete(folder);
        }
        return verdict();
    }

    private void killLeaders(String url) throws IOException {
        try {
            for (int i = 0; i < WORKERS; i++) {
                startWorker(url);
            }
            Worker leader = firstLeader();
            say(leader.name() + " leads, epoch " + epoch + ". Killing leaders; "
                    + (rounds == Integer.MAX_VALUE ? "Ctrl-C ends." : rounds + " rounds."));
            for (int round = 1; round <= rounds; round++) {
                awaitStandbys(leader);
                leader = takeover(round, leader);
                startWorker(url);
            }
        } catch (InterruptedException ended) {
            say("");
        }
    }

    private Worker takeover(int round, Worker leader) throws InterruptedException {
        long killed = System.nanoTime();
        leader.kill();
        workers.remove(leader);
        Worker.Report report = nextLeader();
        double millis = (report.at() - killed) / 1e6;
        takeovers.add(millis);
        if (millis > SLOW_MILLIS) {
            violations.add("round " + round + " took " + Math.round(millis) + " ms");
        }
        accept(report);
        say(String.format(
                Locale.ROOT,
                "round %3d   kill -9 %s (pid %d)   →   %s leads after %5.1f ms, epoch %d",
                round,
                leader.name(),
                leader.pid(),
                report.from().name(),
                millis,
                report.epoch()));
        return report.from();
    }

    private Worker firstLeader() throws InterruptedException {
        Worker.Report report = nextLeader();
        accept(report);
        return report.from();
    }

    private void accept(Worker.Report report) {
        if (report.epoch() <= epoch) {
            violations.add("epoch " + report.epoch() + " came after epoch " + epoch);
        }
        epoch = report.epoch();
    }

    private Worker.Report nextLeader() throws InterruptedException {
        while (true) {
            Worker.Report report = reports.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (report == null) {
                throw new IllegalStateException("nobody took over within " + PATIENCE_SECONDS + " s");
            }
            if (report.state() == State.LEADING) {
                return report;
            }
            standbys += report.state() == State.STANDBY ? 1 : 0;
        }
    }

    /** A kill counts only if somebody is there to take over; and while JVMs still start, the clock would measure those. */
    private void awaitStandbys(Worker leader) throws InterruptedException {
        while (standbys < WORKERS - 1) {
            Worker.Report report = reports.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (report == null) {
                throw new IllegalStateException("no worker came to stand by");
            }
            if (report.state() == State.LEADING) {
                violations.add(report.from().name() + " leads although " + leader.name() + " does");
            }
            standbys += report.state() == State.STANDBY ? 1 : 0;
        }
        standbys--; // one of them takes over now
    }

    private void startWorker(String url) throws IOException {
        workers.add(Worker.start("worker-" + ++started, url, SCHEMA, reports));
    }

    private boolean verdict() {
        if (takeovers.isEmpty()) {
            System.out.println("No verdict: no leader was killed.");
            return true;
        }
        List<Double> sorted = takeovers.stream().sorted().toList();
        System.out.printf(
                Locale.ROOT,
                "%s: %d leaders killed, takeover median %.1f ms, worst %.1f ms; the epoch grew to %d; %s%n",
                violations.isEmpty() ? "OK" : "FAILED",
                sorted.size(),
                sorted.get(sorted.size() / 2),
                sorted.get(sorted.size() - 1),
                epoch,
                violations.isEmpty() ? "never two leaders." : String.join("; ", violations));
        return violations.isEmpty();
    }

    /** Ctrl-C: let the rounds end in good order, and wait for it. */
    private static void stop(Thread runner) {
        runner.interrupt();
        try {
            runner.join(TimeUnit.SECONDS.toMillis(20));
        } catch (InterruptedException impossible) {
            Thread.currentThread().interrupt();
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
