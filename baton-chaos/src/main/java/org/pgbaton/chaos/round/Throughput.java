package org.pgbaton.chaos.round;

import java.sql.SQLException;
import org.pgbaton.chaos.targets.Target;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.world.OldOutbox;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.World;

/** How much has been done in a world so far. */
final class Throughput {
    private static final String ROWS = """
            SELECT (SELECT count(*) FROM public.handled) + (SELECT count(*) FROM public.guarded) + (SELECT count(*) FROM public.reacted)""";

    private final World world;

    Throughput(World world) {
        this.world = world;
    }

    /** Rows that handlers wrote, and messages that arrived. */
    long done() throws Exception {
        long done = Long.parseLong(world.database().one(ROWS));
        for (Target target : world.targets()) {
            done += target.count();
        }
        return done;
    }

    /** Whether every part of the scenario has done so much that a fault has something to disturb. */
    boolean isBusy(long atLeast) throws Exception {
        if (world.scenario() == Scenario.ADOPTION && handledBy(OldOutbox.OLD_RELAY) < atLeast) {
            return false;
        }
        for (Target target : world.targets()) {
            if (target.count() < atLeast) {
                return false;
            }
        }
        for (Part part : world.scenario().parts()) {
            if (!part.hasTarget() && doneBy(part) < atLeast) {
                return false;
            }
        }
        return true;
    }

    private long doneBy(Part part) throws SQLException {
        return switch (part.kind()) {
            case LEADERSHIP -> Long.parseLong(world.database().one("SELECT count(*) FROM public.guarded"));
            case REACTION -> Long.parseLong(world.database().one("SELECT count(*) FROM public.reacted"));
            default -> handledBy(part.subscription());
        };
    }

    private long handledBy(String who) throws SQLException {
        return Long.parseLong(world.database().one("SELECT count(*) FROM public.handled WHERE subscription = ?", who));
    }
}
