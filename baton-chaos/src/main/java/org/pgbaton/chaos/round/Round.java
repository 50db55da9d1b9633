package org.pgbaton.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.report.TimeLine;
import org.pgbaton.chaos.targets.Brokers;
import org.pgbaton.testkit.TestServer;

/**
 * One scenario and one fault, or many strikes: traffic, the fault in the middle of it, more traffic, and then everything has to come to its end.
 *
 * <p>Who strikes when, whom and for how long comes from the seed; what the processes make of it does not. So a seed repeats the round, but
 * not always its outcome.
 */
final class Round {
    /** A round whose fault meets less than that is void. */
    private static final long LEAST_TRAFFIC = 50;

    private static final Duration WARM_UP = Duration.ofSeconds(30);
    /** After the fault the backlog has to be gone within that time, on a slow machine too. */
    private static final Duration CALM = Duration.ofSeconds(60);
    /** And then everything else is as before. */
    private static final Duration SETTLED = Duration.ofSeconds(15);
    /** So long somebody watches how what was lost finds an owner, if everything else is done. */
    private static final Duration ALL_OWNED = Duration.ofSeconds(10);

    /**
     * @param violations none if all was well
     * @param isVoid whether there was too little traffic for a verdict
     * @param done how much had been done at its end
     * @param calmAfter how long it took until nothing was left to do
     */
    record Result(
            Scenario scenario,
            Attack attack,
            long seed,
            List<Violation> violations,
            boolean isVoid,
            long done,
            @Nullable Duration calmAfter,
            @Nullable Path evidence,
            Course course) {}

    /**
     * How it went, for the report.
     *
     * @param why it is void
     * @param violatedAt about when the first violation happened, in milliseconds since the round began
     */
    record Course(
            Instant begun,
            Duration taken,
            @Nullable String why,
            List<History.Event> events,
            TimeLine timeLine,
            @Nullable Long violatedAt) {}

    private final TestServer server;
    private final Brokers brokers;
    private final IdleProcesses idle;
    private final Scenario scenario;
    private final Attack attack;
    private final long seed;
    private final Path folder;
    private final Instant begun = Instant.now();
    private final long begunNanos = System.nanoTime();

    Round(
            TestServer server,
            Brokers brokers,
            IdleProcesses idle,
            Scenario scenario,
            Attack attack,
            long seed,
            Path folder) {
        this.server = server;
        this.brokers = brokers;
        this.idle = idle;
        this.scenario = scenario;
        this.attack = attack;
        this.seed = seed;
        this.folder = folder;
    }

    /** A round that comes to no verdict, because what it needs fails, is void. */
    Result run() throws InterruptedException {
        try {
            return play();
        } catch (InterruptedException told) {
            throw told;
        } catch (Exception | AssertionError failed) {
            System.err.println("baton: round " + scenario.title() + " " + attack.title() + " " + seed
                    + " came to no verdict: " + failed);
            Course course = new Course(begun, taken(), failed.toString(), List.of(), TimeLine.empty(), null);
            return new Result(scenario, attack, seed, List.of(), true, 0, null, null, course);
        }
    }

    private Result play() throws Exception {
        Random random = new Random(seed);
        try (ProcessorShare share = ProcessorShare.measure();
                World world = new World(server, brokers, idle, scenario);
                Traffic traffic = start(world, random.nextLong());
                Progress progress = Progress.start(world, traffic, attack.messages());
                Alongside alongside = Alongside.start(world);
                Sampler sampler = Sampler.start(world)) {
            // Nobody can tell who took over what if nobody saw who had it.
            boolean busy = World.await(WARM_UP, () -> sampler.sawEverything() && scenario.isBusy(world, LEAST_TRAFFIC))
                    != null;
            Resources resources = Resources.of(world);
            long before = scenario.done(world);
            alongside.begin(new Random(seed + 1));
            attack.strike(world, progress, random);
            alongside.finish();
            // What was adopted beside the fault has to be handed over by Baton.
            busy &= scenario != Scenario.ADOPTION
                    || World.await(WARM_UP, () -> OldOutbox.handedOver(world) >= LEAST_TRAFFIC) != null;
            TimeUnit.MILLISECONDS.sleep(300 + random.nextInt(700));
            traffic.stop();
            long end = System.nanoTime();
            Duration calm = World.await(CALM, () -> world.backlog() == 0);
            Duration calmAfter = calm == null ? null : Duration.ofNanos(System.nanoTime() - end);
            World.await(ALL_OWNED, sampler::sawAllOwned);
            List<String> leftBehind = calm == null ? List.of() : settle(world, resources);
            long done = scenario.done(world);
            List<History.Sample> samples = sampler.stop();
            TimeLine timeLine = sampler.timeLine();
            History history = Recorder.record(world, samples, leftBehind, before, calmAfter);
            List<Violation> violations = new ArrayList<>(Invariants.check(
                    history, scenario.expected(1 + history.faults().size(), attack)));
            boolean tooSlow = share.isTooSmall() && violations.removeIf(each -> each.isOfTime(calm != null));
            if (!attack.isOnce()) {
                System.out.println("         " + LongRoundNumbers.of(history));
            }
            Path evidence = violations.isEmpty() ? null : writeEvidence(world, history, violations);
            Course course = new Course(
                    begun,
                    taken(),
                    !busy ? "too little traffic" : tooSlow ? share.tooSmall() : null,
                    history.faults(),
                    timeLine,
                    FirstViolation.millis(history, timeLine, violations));
            return new Result(scenario, attack, seed, violations, !busy || tooSlow, done, calmAfter, evidence, course);
        }
    }

    private Traffic start(World world, long its) {
        return attack.isOnce() ? Traffic.start(world, its) : Traffic.startMuch(world, its);
    }

    private Duration taken() {
        return Duration.ofNanos(System.nanoTime() - begunNanos);
    }

    /** Waits until everybody is well and holds no more than before; at last asks once more. */
    private static List<String> settle(World world, Resources before) throws Exception {
        List<String> ended = world.workers().stream()
                .filter(worker -> !worker.isAlive())
                .map(worker -> worker.name() + " has ended by itself")
                .toList();
        if (!ended.isEmpty()) {
            return ended;
        }
        World.await(SETTLED, () -> {
            for (Worker worker : world.workers()) {
                if (!worker.saysItIsWell()) {
                    return false;
                }
            }
            return before.leftBehind(Resources.of(world)).isEmpty();
        });
        world.askForHealth("");
        return before.leftBehind(Resources.of(world));
    }

    /** Whoever looks into it has to see what we saw, and how the processes were at that moment. */
    private Path writeEvidence(World world, History history, List<Violation> violations)
            throws SQLException, InterruptedException {
        try {
            Path evidence =
                    Files.createDirectories(folder.resolve(scenario.title() + "-" + attack.title() + "-" + seed));
            List<String> lines = new ArrayList<>(List.of(
                    "scenario " + scenario.title() + ", fault " + attack.title() + ", seed " + seed,
                    "again: " + command(),
                    ""));
            violations.forEach(violation -> lines.add("VIOLATION " + violation));
            lines.add("");
            history.faults().forEach(event -> lines.add(event.millis() + " ms  " + event.what()));
            Files.write(evidence.resolve("story.txt"), lines);
            Evidence.lines(evidence.resolve("written.txt"), history.written());
            Evidence.lines(evidence.resolve("effects.txt"), history.effects());
            Evidence.lines(evidence.resolve("arrivals.txt"), history.arrivals());
            Evidence.lines(evidence.resolve("captured.txt"), history.captured());
            Evidence.lines(
                    evidence.resolve("adopted-rows.txt"), history.adoption().rows());
            Evidence.lines(
                    evidence.resolve("adopted-handled.txt"), history.adoption().handled());
            Evidence.lines(evidence.resolve("claims.txt"), history.claims());
            Evidence.lines(evidence.resolve("guarded.txt"), history.guarded());
            Evidence.lines(evidence.resolve("samples.txt"), history.samples());
            Evidence.table(world, evidence, "pg_locks", "SELECT l::text FROM pg_locks l");
            Evidence.table(world, evidence, "pg_stat_activity", "SELECT a::text FROM pg_stat_activity a");
            Evidence.table(world, evidence, "subscriptions", "SELECT s::text FROM baton.subscription_status s");
            Evidence.table(world, evidence, "lanes", "SELECT l::text FROM baton.lane_status l");
            Evidence.table(world, evidence, "parked", "SELECT p::text FROM baton.parked p");
            Evidence.table(world, evidence, "captures", "SELECT c::text FROM baton.capture c");
            Evidence.table(world, evidence, "slots", "SELECT s::text FROM pg_replication_slots s");
            Evidence.table(world, evidence, "pg_stat_replication", "SELECT r::text FROM pg_stat_replication r");
            for (Worker worker : world.workers()) {
                Evidence.threads(evidence, worker);
            }
            Evidence.ownThreads(evidence);
            Files.copy(server.postgres().logFile(), evidence.resolve("postgres.log"));
            return evidence;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private String command() {
        return "./baton chaos " + attack.options(scenario) + " --rounds 1 --seed " + seed;
    }
}
