package org.pgbaton.chaos.worker;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.leadership.Term;

/** The worst of duties: it goes on writing when the term is lost, until the guard refuses. */
final class GuardedWriter {
    /** The SQLSTATE with which the guard refuses a term that is over. */
    private static final String REFUSED = "YB001";

    private final String url;
    private final String name;
    private final BooleanSupplier isOver;

    /** @param isOver whether the process has ended its work */
    GuardedWriter(String url, String name, BooleanSupplier isOver) {
        this.url = url;
        this.name = name;
        this.isOver = isOver;
    }

    void lead(Term term) throws InterruptedException {
        Thread writer = new Thread(() -> write(term.epoch()), "writer-" + term.epoch());
        writer.setDaemon(true);
        writer.start();
        while (term.isLeading()) {
            Thread.sleep(5);
        }
    }

    private void write(long epoch) {
        while (!isOver.getAsBoolean()) {
            try (Connection connection = DatabaseUrl.parse(url).connector().connect()) {
                connection.setAutoCommit(false);
                while (!isOver.getAsBoolean()) {
                    write(connection, epoch);
                    connection.commit();
                    LockSupport.parkNanos(5_000_000);
                }
            } catch (SQLException failed) {
                if (REFUSED.equals(failed.getSQLState())) {
                    return;
                }
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    private void write(Connection connection, long epoch) throws SQLException {
        try (PreparedStatement guard = connection.prepareStatement("SELECT baton.guard(?, ?, ?::interval)");
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO public.guarded (epoch, who) VALUES (?, ?)")) {
            guard.setString(1, Part.JOB);
            guard.setLong(2, epoch);
            guard.setString(3, WorkerProgram.LEASE.toString());
            guard.execute();
            insert.setLong(1, epoch);
            insert.setString(2, name);
            insert.executeUpdate();
        }
    }
}
