package org.pgbaton.chaos.device;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.testkit.TestDatabase;

/**
 * A small file system to which the tables and indexes of a database are moved, and that can be filled. The WAL lies elsewhere: a server without room for it
 * goes down, which is another fault.
 *
 * <p>Needs root. Not thread-safe.
 */
public final class SmallDisk implements AutoCloseable {
    /** Several times what a round writes. */
    private static final String MOUNT = "mount -t tmpfs -o size=256m,mode=0700 none \"$disk\"";

    private static final String UNMOUNT = "umount -l \"$disk\"";

    /** Tables without rows of this round stay where they are, because each move waits until nobody uses the table. */
    private static final String MOVES = """
            SELECT format('ALTER TABLE %I.%I SET TABLESPACE ', t.schemaname, t.relname)
              FROM pg_stat_user_tables t WHERE n_tup_ins + n_tup_upd > 0
            UNION ALL
            SELECT format('ALTER INDEX %I.%I SET TABLESPACE ', i.schemaname, i.indexrelname)
              FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i USING (relid) WHERE n_tup_ins + n_tup_upd > 0""";

    private final TestDatabase database;
    private final String name;
    private final Path folder;
    private final Thread unmounting = new Thread(this::unmount, "chaos-disk");

    private SmallDisk(TestDatabase database) throws IOException {
        this.database = database;
        this.name = "small_" + database.name();
        this.folder = Files.createTempDirectory("baton-disk");
    }

    /** Why there can be none on this machine; null if there can. */
    public static @Nullable String missing() throws InterruptedException {
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

    public static SmallDisk under(TestDatabase database) throws IOException, SQLException, InterruptedException {
        SmallDisk disk = new SmallDisk(database);
        Runtime.getRuntime().addShutdownHook(disk.unmounting);
        try {
            Command.run(Map.of("disk", disk.folder.toString()), MOUNT);
            database.execute("CREATE TABLESPACE " + disk.name + " LOCATION '" + disk.folder + "'");
            disk.takeTables();
            return disk;
        } catch (IOException | SQLException failed) {
            disk.unmount();
            throw failed;
        }
    }

    /** One after the other: whoever locks all of them at once may deadlock with somebody who does so in another order. */
    private void takeTables() throws SQLException {
        List<String> moves = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery(MOVES)) {
                while (row.next()) {
                    moves.add(row.getString(1) + name);
                }
            }
            for (String move : moves) {
                statement.execute(move);
            }
        }
    }

    public void fill() throws IOException {
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

    public void free() throws IOException {
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

    /** To be called when the database is gone. */
    @Override
    public void close() throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(database.server().postgres().jdbcUrl("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLESPACE " + name);
        }
        Runtime.getRuntime().removeShutdownHook(unmounting);
        unmount();
    }
}
