package org.pgbaton.chaos;

import java.util.Random;
import org.pgbaton.Baton;
import org.pgbaton.subscription.SubscriptionStatus;

/** What operators do while there is traffic. */
final class OperatorFaults {
    private static final String REASON = "chaos";

    private OperatorFaults() {}

    static void pauseAndResume(World world, Random random) throws Exception {
        try (Baton baton = world.database().baton("operator")) {
            for (SubscriptionStatus each : baton.subscriptions().list()) {
                world.events().add("pause " + each.name());
                baton.subscriptions().pause(each.name(), REASON);
                Strike.pause(random, 50, 700);
                baton.subscriptions().resume(each.name(), REASON);
                world.events().add("resume " + each.name());
            }
        }
    }

    static void rewind(World world, Random random) throws Exception {
        try (Baton baton = world.database().baton("operator")) {
            long end = Long.parseLong(world.database().one("SELECT max(position) FROM baton.events"));
            for (SubscriptionStatus each : baton.subscriptions().list()) {
                long position = end - random.nextInt((int) Math.max(1, end));
                world.events().add("rewind " + each.name() + " to " + position);
                baton.subscriptions().rewind(each.name(), position, REASON);
                Strike.pause(random, 50, 700);
            }
        }
    }
}
