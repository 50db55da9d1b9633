package org.pgbaton.server.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.embedded.SharedPostgres;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.server.command.Terminal;

/**
 * Runs three workers. One of them leads, all handle trades. In each round the leader is killed; the demo measures the time until another worker
 * reports that it leads, and the time until others own the lanes of the killed one.
 *
 * <p>The verdict is positive if both happened within five seconds after every kill, every epoch was higher than the one before, and in the end every
 * trade was handled exactly once and published in order, and every alert was received.
 */
final class Demo {
    private static final int WORKERS = 3;
    private static final String SCHEMA = "baton_demo";
    private static final long PATIENCE_SECONDS = 60;
    private static final long DISTURBED_MILLIS = 200;

    private final DemoPlan plan;
    private final DemoTarget target;
    private final Alerts alerts;
    private final BlockingQueue<Worker.Report> reports = new LinkedBlockingQueue<>();
    private final List<String> workerOptions = new ArrayList<>();
    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    private final DemoStage stage;
    private final Map<Worker, LeadershipState> states = new HashMap<>();
    private final List<String> killed = new ArrayList<>();
    private final Takeovers takeovers = new Takeovers();
    private final DemoTerminal terminal = new DemoTerminal(System.out, Terminal.isOutput());
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean stopping;
    private int started;
    private @Nullable Worker leader;

    /** The caller closes the target and the alerts. */
    Demo(DemoPlan plan, DemoTarget target, Alerts alerts) {
        this.plan = plan;
        this.stage = new DemoStage(workers, plan.gremlin(), sentence -> terminal.tell(sentence, null));
        this.target = target;
        this.alerts = alerts;
    }

    boolean run() throws IOException {
        Thread runner = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(runner), "baton-demo-stop"));
        try {
            play();
            say(takeovers.verdict(alerts.told()));
            return takeovers.areGood();
        } finally {
            over.countDown();
        }
    }

    private void play() throws IOException {
        Path folder = Files.createTempDirectory("baton-demo-");
        try {
            say("Starting PostgreSQL and " + WORKERS + " workers …");
            try (SharedPostgres postgres = SharedPostgres.openUntilClosed(folder)) {
                try {
                    workerOptions.addAll(target.workerOptions());
                    workerOptions.addAll(alerts.workerOptions(folder));
                    killLeaders(postgres.jdbcUrl());
                } finally {
                    workers.forEach(Worker::kill); // before the database ends, so that they do not complain
                }
            }
        } catch (RuntimeException | IOException failure) {
            if (!isEnding()) { // Ctrl-C interrupts the start, or reaches PostgreSQL before it reaches this process
                throw failure;
            }
        } finally {
            DemoFolder.delete(folder);
        }
    }

    private void killLeaders(String url) throws IOException {
        try (Baton baton = Baton.builder(url).schema(SCHEMA).who("demo").open();
                stage;
                DemoPage page = DemoPage.show(baton, stage, plan.port())) {
            say("Dashboard: " + page.url());
            baton.logs().create(Alerts.LOG);
            DemoFacts facts = DemoFacts.begin(baton, stage, terminal, this::soFar);
            try (facts) {
                play(url);
            }
        }
    }

    private String soFar() {
        return String.format(
                Locale.ROOT,
                "%,d published, %,d alerts; %s",
                target.arrivals().first(),
                alerts.told(),
                takeovers.soFar());
    }

    private void play(String url) throws IOException {
        Trades trades = new Trades(url, SCHEMA, target.topic());
        try {
            trades.prepare();
            for (int i = 0; i < WORKERS; i++) {
                startWorker(url);
            }
            leader = firstLeader();
            trades.start();
            say(leader().name() + " leads, epoch " + takeovers.epoch()
                    + "; all of them handle trades, and publish them to " + target.name()
                    + "; alerts go to the channels 'ops' and 'slack', which hangs. " + plan.sentence());
            rounds(url, trades);
        } catch (InterruptedException ended) {
            say("");
        } catch (TimeoutException stuck) {
            takeovers.violation(String.valueOf(stuck.getMessage()));
        } catch (SQLException trouble) {
            if (!isEnding()) { // Ctrl-C interrupts an attempt to connect, which then fails
                throw DatabaseException.of("follow the trades", trouble);
            }
        } catch (IOException trouble) {
            if (!isEnding()) { // Ctrl-C may reach a worker that is being started before it reaches this process
                throw trouble;
            }
            say("");
        }
        if (trades.areRunning()) {
            Thread.interrupted(); // Ctrl-C ends the rounds, not the check
            settle(trades);
        }
    }

    private void rounds(String url, Trades trades)
            throws InterruptedException, TimeoutException, SQLException, IOException {
        int round = 0;
        while (round < plan.rounds() && !plan.isOver()) {
            settleDown(trades);
            if (stage.isDisturbed()) {
                TimeUnit.MILLISECONDS.sleep(DISTURBED_MILLIS);
                continue;
            }
            Worker asked = stage.nextKill(plan.pause());
            if (asked != null && stage.isDisturbed()) {
                stage.killLater(asked);
            }
            if (plan.isOver() || stage.isDisturbed()) {
                continue;
            }
            Worker next = asked != null ? asked : stage.isGremlinLoose() ? leader() : null;
            if (next == leader()) {
                leader = takeover(++round, leader(), trades);
                startWorker(url);
            } else if (next != null && workers.contains(next)) {
                killStandby(next, trades);
                startWorker(url);
            }
        }
    }

    /** Waits until somebody can take over, unless a worker is frozen or cut off: then whoever leads now is the leader. */
    private void settleDown(Trades trades) throws InterruptedException, TimeoutException, SQLException {
        if (stage.isDisturbed()) {
            for (Worker.Report report = reports.poll(); report != null; report = reports.poll()) {
                note(report);
                if (report.state() == LeadershipState.LEADING) {
                    takeovers.leads(report.epoch());
                    leader = report.from();
                    tell(leader().name() + " leads now, epoch " + takeovers.epoch() + ".");
                }
            }
            return;
        }
        awaitStandbys();
        trades.awaitOwners(workers.stream().map(Worker::name).toList());
    }

    private void killStandby(Worker worker, Trades trades) throws InterruptedException, TimeoutException, SQLException {
        int lanes = trades.lanesOf(worker.name());
        long begin = System.nanoTime();
        end(worker);
        trades.awaitTakeover(worker.name());
        tell(String.format(
                Locale.ROOT,
                "%s was killed, which did not lead: %s went on after %.0f ms.",
                worker.name(),
                Takeovers.count(lanes, "lane"),
                (System.nanoTime() - begin) / 1e6));
    }

    private void end(Worker worker) {
        worker.kill();
        workers.remove(worker);
        states.remove(worker);
        killed.add(worker.name());
    }

    private boolean isEnding() {
        try {
            return over.await(500, TimeUnit.MILLISECONDS) || stopping;
        } catch (InterruptedException ending) {
            return true;
        }
    }

    private void settle(Trades trades) {
        try {
            trades.stop();
            Trades.Result result = trades.settle(killed, target);
            takeovers.violations(result.violations());
            say(String.format(
                    Locale.ROOT,
                    "%,d trades of %,d portfolios appended, %,d handled: %,d by workers that were killed, %,d by the others.",
                    result.trades(),
                    result.portfolios(),
                    result.handled(),
                    result.killed(),
                    result.handled() - result.killed()));
            say(String.format(
                    Locale.ROOT,
                    "%,d trades published to %s; %,d of them came once more%s.",
                    target.arrivals().first(),
                    target.name(),
                    target.arrivals().again(),
                    target.isExactlyOnce() ? "" : ", in flight when their worker was killed"));
            if (result.violations().isEmpty()) {
                say(
                        "Every balance is right; every trade was handled once and published in the order of its portfolio.");
            }
            List<String> missed = alerts.settle(trades.alerts());
            takeovers.violations(missed);
            if (missed.isEmpty()) {
                alerts.lines().forEach(this::say);
            }
        } catch (SQLException trouble) {
            takeovers.violation("the trades could not be checked: " + trouble.getMessage());
        } catch (InterruptedException again) {
            takeovers.violation("the trades were not checked");
        }
    }

    private Worker takeover(int round, Worker old, Trades trades)
            throws InterruptedException, TimeoutException, SQLException {
        int lanes = trades.lanesOf(old.name());
        long begin = System.nanoTime();
        end(old);
        trades.awaitTakeover(old.name());
        double laneMillis = (System.nanoTime() - begin) / 1e6;
        Worker.Report report = nextLeader();
        double millis = (report.at() - begin) / 1e6;
        takeovers.took(round, millis, laneMillis);
        takeovers.leads(report.epoch());
        String inShort = String.format(
                Locale.ROOT,
                "%s was killed: %s led after %.0f ms, %s went on after %.0f ms.",
                old.name(),
                report.from().name(),
                millis,
                Takeovers.count(lanes, "lane"),
                laneMillis);
        stage.tell(inShort);
        String line = String.format(
                Locale.ROOT,
                "round %3d   kill -9 %-9s (pid %d)   →   %-9s leads after %5.1f ms, epoch %d; %s went on after %5.1f ms; %,d published, %,d alerts",
                round,
                old.name(),
                old.pid(),
                report.from().name(),
                millis,
                report.epoch(),
                Takeovers.count(lanes, "lane"),
                laneMillis,
                target.arrivals().first(),
                alerts.told());
        terminal.tell(line, inShort);
        return report.from();
    }

    private Worker firstLeader() throws InterruptedException, TimeoutException {
        Worker.Report report = nextLeader();
        takeovers.leads(report.epoch());
        return report.from();
    }

    private Worker.Report nextLeader() throws InterruptedException, TimeoutException {
        while (true) {
            Worker.Report report = next("nobody took over");
            if (report.state() == LeadershipState.LEADING) {
                return report;
            }
        }
    }

    /** Waits until somebody can take over. Otherwise the time of a takeover would include the start of a JVM. */
    private void awaitStandbys() throws InterruptedException, TimeoutException {
        while (states.values().stream()
                        .filter(each -> each == LeadershipState.STANDBY)
                        .count()
                < WORKERS - 1) {
            Worker.Report report = next("no worker came to stand by");
            if (report.state() == LeadershipState.LEADING && report.from() != leader()) {
                takeovers.violation(report.from().name() + " leads although " + leader().name() + " does");
            }
        }
    }

    private Worker leader() {
        return Objects.requireNonNull(leader, "nobody has led yet");
    }

    private void note(Worker.Report report) {
        if (workers.contains(report.from())) {
            states.put(report.from(), report.state());
        }
    }

    private Worker.Report next(String otherwise) throws InterruptedException, TimeoutException {
        Worker.Report report = reports.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (report == null) {
            throw new TimeoutException(otherwise + " within " + PATIENCE_SECONDS + " s");
        }
        note(report);
        return report;
    }

    private void startWorker(String url) throws IOException {
        workers.add(Worker.start("worker-" + ++started, url, SCHEMA, workerOptions, reports));
    }

    /** After Ctrl-C: interrupts the rounds and waits until the check is over. It cannot wait for the thread, which waits for this hook in System.exit. */
    private void stop(Thread runner) {
        stopping = true;
        runner.interrupt();
        try {
            over.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException impossible) {
            Thread.currentThread().interrupt();
        }
    }

    private void say(String line) {
        terminal.say(line);
    }

    /** News, on the page and on the terminal. */
    private void tell(String sentence) {
        stage.tell(sentence);
        terminal.tell(sentence, null);
    }
}
