package org.pgbaton.typed;

import java.sql.Connection;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Projection;

/**
 * A projection with a handler for each type of message, which gets the decoded object.
 *
 * <pre>{@code
 * TypedProjection balances = TypedProjection.with(types)
 *         .on(Deposited.class, (event, message, connection) -> add(connection, message.key(), event.amount()))
 *         .on(Withdrawn.class, (event, message, connection) -> add(connection, message.key(), -event.amount()));
 * baton.subscription("balances").on("events").project(balances).start();
 * }</pre>
 *
 * <p>A message that cannot be decoded has its key parked at once. Its error names type, position, key and reason, and has nothing of the
 * payload. A message whose type has no handler has its key parked as well, unless {@link #unknown} says otherwise.
 *
 * <p>Immutable: each method gives another projection. Thread-safe if the handlers are.
 */
public final class TypedProjection implements Projection {
    /**
     * Handles the messages of one type.
     *
     * @param <T> the class of the type
     */
    @FunctionalInterface
    public interface Handler<T> {
        /**
         * Writes what the value means, on this connection.
         *
         * @throws Exception if it failed; see {@link org.pgbaton.subscription.Verdict} for what that means
         */
        void apply(T value, Message message, Connection connection) throws Exception;
    }

    private final TypedHandlers<Connection> handlers;

    private TypedProjection(TypedHandlers<Connection> handlers) {
        this.handlers = handlers;
    }

    /** Begins with no handler. */
    public static TypedProjection with(MessageTypes types) {
        return new TypedProjection(TypedHandlers.with(types));
    }

    /**
     * Adds the handler of a type.
     *
     * @throws IllegalArgumentException if the class is not among the types, or has a handler already
     */
    public <T> TypedProjection on(Class<T> type, Handler<? super T> handler) {
        return new TypedProjection(handlers.on(type, handler::apply));
    }

    /** What to do with messages of other types. Default: {@link UnknownType#PARK}. */
    public TypedProjection unknown(UnknownType decision) {
        return new TypedProjection(handlers.unknown(decision));
    }

    /** The names of the types that have a handler, for {@link org.pgbaton.subscription.SubscriptionBuilder#types}. */
    public String[] types() {
        return handlers.names();
    }

    @Override
    public void apply(Message message, Connection connection) throws Exception {
        handlers.handle(message, connection);
    }
}
