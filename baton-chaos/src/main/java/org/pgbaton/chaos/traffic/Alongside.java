package org.pgbaton.chaos.traffic;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.World;
import org.pgbaton.database.BatonException;

/** What a scenario has besides its processes: an operator who retains, makes a rebuilt projection the live one, or adopts a table. */
public final class Alongside implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final World world;
    private final Thread thread = new Thread(this::retain, "chaos-retention");
    private @Nullable OldRelay oldRelay;
    private @Nullable Adopter adopter;
    private volatile boolean stopped;

    private Alongside(World world) {
        this.world = world;
    }

    public static Alongside start(World world) {
        return start(world, world.scenario() == Scenario.RETENTION);
    }

    public static Alongside start(World world, boolean retains) {
        Alongside alongside = new Alongside(world);
        if (retains) {
            alongside.thread.setDaemon(true);
            alongside.thread.start();
        }
        if (world.scenario() == Scenario.ADOPTION) {
            alongside.oldRelay = OldRelay.start(world.database());
        }
        return alongside;
    }

    private void retain() {
        while (!stopped) {
            try (Baton baton = world.database().baton("retention")) {
                baton.logs().setRetention("events", Duration.ofSeconds(1));
                while (!stopped) {
                    baton.logs().retainOnce("events");
                    LockSupport.parkNanos(50_000_000);
                }
            } catch (BatonException away) {
                LockSupport.parkNanos(100_000_000);
            }
        }
    }

    /** When the fault is about to strike. */
    public void begin(Random random) {
        if (world.scenario() == Scenario.ADOPTION) {
            adopter = Adopter.start(world, random);
        }
    }

    /** When the fault is over, and traffic goes on. */
    public void finish() throws InterruptedException {
        if (adopter != null && !adopter.await()) {
            world.events().add(History.COULD_NOT + "adopt the table");
        }
        if (world.scenario() == Scenario.REBUILD) {
            boolean done = Wait.until(Duration.ofSeconds(60), () -> {
                        try (Baton baton = world.database().baton("operator")) {
                            baton.subscriptions()
                                    .switchOver(
                                            Part.REBUILT.subscription(),
                                            Part.NEXT,
                                            "chaos",
                                            PATIENCE,
                                            connection -> {});
                            return true;
                        }
                    })
                    != null;
            world.events().add(done ? "switched over" : History.COULD_NOT + "switch over");
        }
    }

    public void stop() {
        stopped = true;
    }

    @Override
    public void close() {
        stop();
        if (oldRelay != null) {
            oldRelay.close();
        }
        if (adopter != null) {
            adopter.close();
        }
    }
}
