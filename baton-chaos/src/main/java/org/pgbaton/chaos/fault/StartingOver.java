package org.pgbaton.chaos.fault;

import java.util.List;
import java.util.Random;
import org.pgbaton.Baton;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.Worker;
import org.pgbaton.chaos.world.World;

/**
 * An operator lets a subscription begin at the origin again: he ends all processes, empties the projection's table, and rewinds the subscription or
 * deletes it, so that it is made again when they start. With a process alive, what it writes meanwhile would be lost with the table.
 */
final class StartingOver {
    private static final String REASON = "chaos";

    private StartingOver() {}

    /** Does nothing if no subscription of the scenario could be judged afterwards. */
    static void any(World world, Baton baton, Random random) throws Exception {
        List<Part> parts =
                world.scenario().parts().stream().filter(Part::canStartOver).toList();
        if (parts.isEmpty() || !world.scenario().keepsItsLog()) {
            return;
        }
        Part part = parts.get(random.nextInt(parts.size()));
        boolean deletes = random.nextBoolean();
        world.events().add("all processes end");
        for (Worker worker : world.workers()) {
            worker.end();
        }
        world.database().execute("DELETE FROM public.handled WHERE subscription = '" + part.subscription() + "'");
        Wait.until(Wait.SOON, () -> {
            if (deletes) {
                baton.subscriptions().delete(part.subscription(), null, REASON);
            } else {
                baton.subscriptions().rewind(part.subscription(), 0, REASON);
            }
            return true;
        });
        world.events().add((deletes ? "deleted " : "rewound ") + part.subscription() + "; all processes start");
        world.workers().replaceAll();
    }
}
