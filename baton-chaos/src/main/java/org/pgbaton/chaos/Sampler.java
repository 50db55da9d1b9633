package org.pgbaton.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Looks at the checkpoints a few times a second, over a connection of its own; what it cannot read because the server is away it leaves out. */
final class Sampler {
    private static final long EVERY_MILLIS = 100;
    private static final String LOOK = """
            SELECT s.name, c.lane, c.position, c.epoch, l.owner
              FROM baton.checkpoint c JOIN baton.subscription s ON s.id = c.subscription
              LEFT JOIN baton.lane_status l ON l.subscription = s.id AND l.lane = c.lane""";

    private final World world;
    private final List<History.Sample> samples = new ArrayList<>();
    private final Thread thread = new Thread(this::look, "chaos-sampler");
    private volatile boolean stopped;

    private Sampler(World world) {
        this.world = world;
    }

    static Sampler start(World world) {
        Sampler sampler = new Sampler(world);
        sampler.thread.setDaemon(true);
        sampler.thread.start();
        return sampler;
    }

    private void look() {
        while (!stopped) {
            try (Connection connection = world.database().connect();
                    Statement statement = connection.createStatement()) {
                while (!stopped) {
                    try (ResultSet row = statement.executeQuery(LOOK)) {
                        long millis = world.events().millis();
                        while (row.next()) {
                            samples.add(new History.Sample(
                                    millis,
                                    row.getString(1),
                                    row.getInt(2),
                                    row.getLong(3),
                                    row.getLong(4),
                                    row.getString(5)));
                        }
                    }
                    LockSupport.parkNanos(EVERY_MILLIS * 1_000_000);
                }
            } catch (SQLException away) {
                LockSupport.parkNanos(EVERY_MILLIS * 1_000_000);
            }
        }
    }

    List<History.Sample> stop() throws InterruptedException {
        stopped = true;
        thread.join();
        return samples;
    }
}
