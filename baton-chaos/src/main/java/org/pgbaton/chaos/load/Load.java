package org.pgbaton.chaos.load;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.pgbaton.chaos.targets.Brokers;
import org.pgbaton.chaos.traffic.Alongside;
import org.pgbaton.chaos.traffic.Traffic;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.world.IdleProcesses;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.World;
import org.pgbaton.testkit.TestServer;

/** Runs everything at once for a long time, with retention and without faults, and finds what grows without end. */
public final class Load {
    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final Duration CALM = Duration.ofMinutes(5);

    private final Duration length;
    private final long seed;
    private final Path folder;

    public Load(Duration length, long seed, Path folder) {
        this.length = length;
        this.seed = seed;
        this.folder = folder;
    }

    /** @return what is wrong; nothing if all is well */
    public List<String> run() throws Exception {
        Random random = new Random(seed);
        List<LoadSample> samples = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        try (TestServer server = TestServer.start(Map.of("max_connections", "150", "max_prepared_transactions", "20"));
                Brokers brokers = new Brokers();
                IdleProcesses idle = new IdleProcesses();
                World world = new World(server, brokers, idle, Scenario.EVERYTHING);
                Traffic traffic = Traffic.start(world, random.nextLong());
                Alongside alongside = Alongside.start(world, true)) {
            System.out.println("PostgreSQL " + server.postgres().majorVersion() + ", everything at once for " + length
                    + ", seed " + seed + ".");
            long begun = System.nanoTime();
            while (System.nanoTime() - begun < length.toNanos()) {
                TimeUnit.NANOSECONDS.sleep(EVERY.toNanos());
                LoadSample sample = LoadSample.take(world, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun));
                samples.add(sample);
                if (samples.size() % 12 == 0) {
                    System.out.printf(Locale.ROOT, "%5d s  %s%n", sample.seconds(), sample);
                }
            }
            traffic.stop();
            if (Wait.until(CALM, () -> world.backlog() == 0) == null) {
                wrong.add("something was left to do when the time was over");
            }
            alongside.stop();
            wrong.addAll(counts(world));
        }
        wrong.addAll(LoadSample.growing(samples));
        LoadReport.write(folder, samples, wrong);
        return wrong;
    }

    /** Every projection has done everything, once. */
    private static List<String> counts(World world) throws SQLException {
        List<String> wrong = new ArrayList<>();
        for (Part part : List.of(Part.PROJECTION, Part.TOTAL)) {
            String difference = world.database().one("""
                    SELECT count(*) || ' rows, ' || count(DISTINCT position) || ' positions of ' || (SELECT count(*) FROM public.written)
                      FROM public.handled WHERE subscription = ?
                    HAVING count(*) <> count(DISTINCT position) OR count(*) <> (SELECT count(*) FROM public.written)""", part.subscription());
            if (!difference.equals("null")) {
                wrong.add(part.subscription() + ": " + difference);
            }
        }
        return wrong;
    }
}
