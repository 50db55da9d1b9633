package org.pgbaton.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A small file system that the tables and indexes of a round's database lie on from now on. It can be filled. The WAL lies elsewhere: a server that
 * finds no room for it goes down, which is another fault.
 *
 * <p>Needs root. Not thread-safe.
 */
final class SmallDisk implements AutoCloseable {
    /** What a round writes has room several times. */
    private static final String MOUNT = "mount -t tmpfs -o size=256m,mode=0700 none \"$disk\"";

    private static final String UNMOUNT = "umount -l \"$disk\"";

    /** What nobody has written to stays where it is: each move waits until nobody uses the table. */
    private static final String MOVES = """
            SELECT format('ALTER TABLE %I.%I SET TABLESPACE ', t.schemaname, t.relname)
              FROM pg_stat_user_tables t WHERE n_tup_ins + n_tup_upd > 0
            UNION ALL
            SELECT format('ALTER INDEX %I.%I SET TABLESPACE ', i.schemaname, i.indexrelname)
              FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i USING (relid) WHERE n_tup_ins + n_tup_upd > 0""";

    private final World world;
    private final String name;
    private final Path folder;
    private final Thread unmounting = new Thread(this::unmount, "chaos-disk");

    private SmallDisk(World world) throws IOException {
        this.world = world;
        this.name = "small_" + world.database().name();
        this.folder = Files.createTempDirectory("baton-disk");
    }

    /** Why there can be none on this machine; null if there can. */
    static @Nullable String missing() throws InterruptedException {
        try {
            Path folder = Files.createTempDirectory("baton-disk");
            try {
                Command.run(Map.of("disk", folder.toString()), MOUNT + "\n" + UNMOUNT);
            } finally {
                Files.delete(folder);
            }
            return null;
        } catch (IOException refused) {
            return "it needs root, to mount a small file system (" + refused.getMessage() + ")";
        }
    }

    static SmallDisk under(World world) throws IOException, SQLException, InterruptedException {
        SmallDisk disk = new SmallDisk(world);
        Runtime.getRuntime().addShutdownHook(disk.unmounting);
        try {
            Command.run(Map.of("disk", disk.folder.toString()), MOUNT);
            world.database().execute("CREATE TABLESPACE " + disk.name + " LOCATION '" + disk.folder + "'");
            disk.takeTables();
            world.closeAtTheEnd(disk);
            return disk;
        } catch (IOException | SQLException failed) {
            disk.unmount();
            throw failed;
        }
    }

    /** One after the other: whoever wants to lock all at once finds somebody who does so in another order. */
    private void takeTables() throws SQLException {
        List<String> moves = new ArrayList<>();
        world.each(MOVES, row -> moves.add(row.getString(1) + name));
        try (Connection connection = world.database().connect();
                Statement statement = connection.createStatement()) {
            for (String move : moves) {
                statement.execute(move);
            }
        }
    }

    void fill() throws IOException {
        byte[] block = new byte[1 << 16];
        try (OutputStream ballast = Files.newOutputStream(ballast())) {
            while (true) {
                ballast.write(block);
            }
        } catch (IOException full) {
            if (!String.valueOf(full.getMessage()).contains("space")) {
                throw full;
            }
        }
    }

    void free() throws IOException {
        Files.deleteIfExists(ballast());
    }

    private Path ballast() {
        return folder.resolve("ballast");
    }

    private void unmount() {
        try {
            Command.run(Map.of("disk", folder.toString()), UNMOUNT);
            Files.delete(folder);
        } catch (IOException notMounted) {
            // That is what we wanted.
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }

    /** When the database is gone. */
    @Override
    public void close() throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(world.server().postgres().jdbcUrl("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLESPACE " + name);
        }
        Runtime.getRuntime().removeShutdownHook(unmounting);
        unmount();
    }
}
