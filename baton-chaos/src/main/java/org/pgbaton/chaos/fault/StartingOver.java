package org.pgbaton.chaos;

import java.util.List;
import java.util.Random;
import org.pgbaton.Baton;
import org.pgbaton.chaos.worker.Part;

/**
 * An operator lets a subscription begin at the origin again: he ends all processes, empties what the projection wrote, and rewinds it or deletes
 * it, so that it is made again when they start. While a process lives nobody could empty a table without losing what is written meanwhile.
 */
final class StartingOver {
    private static final String REASON = "chaos";

    private StartingOver() {}

    /** Nothing if no subscription of the scenario can be judged afterwards. */
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
        World.await(World.SOON, () -> {
            if (deletes) {
                baton.subscriptions().delete(part.subscription(), null, REASON);
            } else {
                baton.subscriptions().rewind(part.subscription(), 0, REASON);
            }
            return true;
        });
        world.events().add((deletes ? "deleted " : "rewound ") + part.subscription() + "; all processes start");
        for (int i = 0; i < world.workers().size(); i++) {
            world.replace(i);
        }
    }
}
