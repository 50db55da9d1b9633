package org.pgbaton.handling;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** The connection a projection gets: its transaction is Baton's to end. */
public final class HandlerConnection {
    private static final Set<String> REFUSED = Set.of(
            "commit", "setAutoCommit", "abort", "setTransactionIsolation", "setReadOnly", "beginRequest", "endRequest");

    private HandlerConnection() {}

    public static Connection around(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                HandlerConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    String name = method.getName();
                    if (name.equals("close")) {
                        return null; // frameworks and try-with-resources do; it is closed when the batch is
                    }
                    boolean wholeRollback = name.equals("rollback") && (arguments == null || arguments.length == 0);
                    boolean harmless = name.equals("setAutoCommit") && Boolean.FALSE.equals(arguments[0]);
                    if ((REFUSED.contains(name) && !harmless) || wholeRollback) {
                        throw new SQLException("A projection must not call Connection." + name
                                + ": its writes and the checkpoint commit together, and Baton does that. Throw to have "
                                + "everything rolled back.");
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException theirs) {
                        throw theirs.getCause();
                    }
                });
    }
}
