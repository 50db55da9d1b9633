package org.pgbaton.session;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.Connector;

/**
 * Ordinary connections for an application that gave a URL and no pool: {@code close} keeps a connection for the next caller. No limit
 * on how many are open, since Baton's own threads are the limit; at most {@link #MOST} wait unused, and none longer than
 * {@link #LONGEST}. Thread-safe.
 */
public final class KeptConnections implements Connector, AutoCloseable {
    private static final int MOST = 16;
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private record Spare(Connection connection, long since) {}

    private final Connector connector;
    private final LongSupplier nanos;
    private final Deque<Spare> spares = new ArrayDeque<>();
    private boolean closed;

    public KeptConnections(Connector connector, LongSupplier nanos) {
        this.connector = connector;
        this.nanos = nanos;
    }

    @Override
    public Connection connect() throws SQLException {
        dropOld();
        Connection spare = takeSpare();
        return lent(spare == null ? connector.connect() : spare);
    }

    private synchronized @Nullable Connection takeSpare() {
        Spare youngest = spares.pollLast();
        return youngest == null ? null : youngest.connection;
    }

    private void dropOld() throws SQLException {
        Spare oldest = pollOld();
        while (oldest != null) {
            oldest.connection.close();
            oldest = pollOld();
        }
    }

    private synchronized @Nullable Spare pollOld() {
        Spare oldest = spares.peekFirst();
        boolean old = oldest != null
                && Duration.ofNanos(nanos.getAsLong() - oldest.since).compareTo(LONGEST) > 0;
        return old ? spares.pollFirst() : null;
    }

    private Connection lent(Connection connection) {
        AtomicBoolean back = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                KeptConnections.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        if (back.compareAndSet(false, true)) {
                            giveBack(connection);
                        }
                        return null;
                    }
                    if (back.get()) {
                        if (method.getName().equals("isClosed")) {
                            return true;
                        }
                        throw new SQLException("This connection is closed.", "08003");
                    }
                    return invoke(connection, method, arguments);
                });
    }

    private static @Nullable Object invoke(Connection connection, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException theirs) {
            throw theirs.getCause();
        }
    }

    private void giveBack(Connection connection) throws SQLException {
        if (connection.isClosed()) {
            closeSpares(); // whatever broke it may have broken the others
            return;
        }
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException broken) {
            connection.close();
            closeSpares();
            return;
        }
        if (!keep(connection)) {
            connection.close();
        }
    }

    private synchronized boolean keep(Connection connection) {
        if (closed || spares.size() >= MOST) {
            return false;
        }
        spares.addLast(new Spare(connection, nanos.getAsLong()));
        return true;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        closeSpares();
    }

    private void closeSpares() {
        Deque<Spare> last;
        synchronized (this) {
            last = new ArrayDeque<>(spares);
            spares.clear();
        }
        for (Spare spare : last) {
            try {
                spare.connection.close();
            } catch (SQLException alreadyGone) {
                // That is what we wanted.
            }
        }
    }
}
