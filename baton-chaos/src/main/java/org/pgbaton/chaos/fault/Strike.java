package org.pgbaton.chaos.fault;

import java.util.Random;
import org.pgbaton.chaos.world.World;

/** How a {@link Fault} is brought about and undone. */
@FunctionalInterface
interface Strike {
    void on(World world, Random random) throws Exception;
}
