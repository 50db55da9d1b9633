package org.pgbaton.chaos.round;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.fault.Attack;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.report.TimeLine;
import org.pgbaton.chaos.targets.Brokers;
import org.pgbaton.chaos.traffic.Alongside;
import org.pgbaton.chaos.traffic.Progress;
import org.pgbaton.chaos.traffic.Traffic;
import org.pgbaton.chaos.verdict.FirstViolation;
import org.pgbaton.chaos.verdict.Invariants;
import org.pgbaton.chaos.verdict.LongRoundNumbers;
import org.pgbaton.chaos.verdict.Violation;
import org.pgbaton.chaos.world.IdleProcesses;
import org.pgbaton.chaos.world.OldOutbox;
import org.pgbaton.chaos.world.Resources;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.Worker;
import org.pgbaton.chaos.world.World;
import org.pgbaton.testkit.TestServer;

/**
 * One scenario and one attack: traffic, the attack in the middle of it, more traffic, and then everything has to come to its end.
 *
 * <p>The seed decides what strikes, when, whom and for how long. It does not decide what the processes make of it. So a seed repeats the round, but
 * not always its outcome.
 */
public final class Round {
    /** With less traffic than this a round is void. */
    private static final long LEAST_TRAFFIC = 50;

    private static final Duration WARM_UP = Duration.ofSeconds(30);
    /** After the fault the backlog has to be gone within that time, on a slow machine too. */
    private static final Duration CALM = Duration.ofSeconds(60);
    /** Then all processes have to be well, and to hold no more than before. */
    private static final Duration SETTLED = Duration.ofSeconds(15);
    /** How long the sampler waits until everything has an owner again, when all else is done. */
    private static final Duration ALL_OWNED = Duration.ofSeconds(10);

    /**
     * @param violations none if all was well
     * @param isVoid whether there was too little traffic for a verdict
     * @param done how much had been done at its end
     * @param calmAfter how long it took until nothing was left to do
     */
    public record Result(
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
    public record Course(
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

    public Round(
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

    /** If something that the round needs fails, the result is void. */
    public Result run() throws InterruptedException {
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
                Sampler sampler = Sampler.start(world.database(), world.events())) {
            Throughput throughput = new Throughput(world);
            // Nobody can tell who took over what if nobody saw who had it.
            boolean busy =
                    Wait.until(WARM_UP, () -> sampler.sawEverything() && throughput.isBusy(LEAST_TRAFFIC)) != null;
            Resources resources = Resources.of(world);
            long before = throughput.done();
            alongside.begin(new Random(seed + 1));
            attack.strike(world, progress, random);
            alongside.finish();
            busy &= isHandedOver(world);
            TimeUnit.MILLISECONDS.sleep(300 + random.nextInt(700));
            traffic.stop();
            Duration calmAfter = Wait.until(CALM, () -> world.backlog() == 0);
            Wait.until(ALL_OWNED, sampler::sawAllOwned);
            List<String> leftBehind = calmAfter == null ? List.of() : settle(world, resources);
            long done = throughput.done();
            List<History.Sample> samples = sampler.stop();
            History history = Recorder.record(world, samples, leftBehind, before, calmAfter);
            return judge(world, history, sampler.timeLine(), share, busy, done);
        }
    }

    private Traffic start(World world, long its) {
        return attack.isOnce() ? Traffic.start(world, its) : Traffic.startMuch(world, its);
    }

    /** If the table could be adopted, rows of it have to be handled by Baton. */
    private boolean isHandedOver(World world) throws InterruptedException {
        return scenario != Scenario.ADOPTION
                || world.events().all().stream().anyMatch(event -> event.what().startsWith(History.COULD_NOT))
                || Wait.until(WARM_UP, () -> OldOutbox.handedOver(world.database()) >= LEAST_TRAFFIC) != null;
    }

    /** @param busy whether there was enough traffic for a verdict */
    private Result judge(World world, History history, TimeLine timeLine, ProcessorShare share, boolean busy, long done)
            throws Exception {
        List<Violation> violations = new ArrayList<>(Invariants.check(
                history, Promises.of(scenario, attack, 1 + history.faults().size())));
        boolean calm = history.calmAfter() != null;
        boolean tooSlow = share.isTooSmall() && violations.removeIf(each -> each.isOfTime(calm));
        if (!attack.isOnce()) {
            System.out.println("         " + LongRoundNumbers.of(history));
        }
        Path evidence =
                violations.isEmpty() ? null : Evidence.write(folder(), story(history, violations), history, world);
        Course course = new Course(
                begun,
                taken(),
                !busy ? "too little traffic" : tooSlow ? share.tooSmall() : null,
                history.faults(),
                timeLine,
                FirstViolation.millis(history, timeLine, violations));
        return new Result(
                scenario, attack, seed, violations, !busy || tooSlow, done, history.calmAfter(), evidence, course);
    }

    private Duration taken() {
        return Duration.ofNanos(System.nanoTime() - begunNanos);
    }

    /** Waits until everybody is well and holds no more than before, and then asks once more. */
    private static List<String> settle(World world, Resources before) throws Exception {
        List<String> ended = new ArrayList<>();
        for (Worker worker : world.workers()) {
            if (!worker.isAlive()) {
                ended.add(worker.name() + " has ended by itself");
            }
        }
        if (!ended.isEmpty()) {
            return ended;
        }
        Wait.until(SETTLED, () -> {
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

    private Path folder() {
        return folder.resolve(scenario.title() + "-" + attack.title() + "-" + seed);
    }

    private List<String> story(History history, List<Violation> violations) {
        List<String> lines = new ArrayList<>(List.of(
                "scenario " + scenario.title() + ", fault " + attack.title() + ", seed " + seed,
                "again: ./baton chaos " + attack.options(scenario) + " --rounds 1 --seed " + seed,
                ""));
        violations.forEach(violation -> lines.add("VIOLATION " + violation));
        lines.add("");
        history.faults().forEach(event -> lines.add(event.millis() + " ms  " + event.what()));
        return lines;
    }
}
