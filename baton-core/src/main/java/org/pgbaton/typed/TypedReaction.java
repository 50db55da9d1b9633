package org.pgbaton.typed;

import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Reaction;

/**
 * A reaction with a handler for each type of message, which gets the decoded object.
 *
 * <pre>{@code
 * TypedReaction receipts = TypedReaction.with(types)
 *         .on(Deposited.class, (event, message, delivery) -> sendReceipt(message.id(), event))
 *         .unknown(UnknownType.SKIP);
 * baton.subscription("receipts").on("events").react(receipts).start();
 * }</pre>
 *
 * <p>A message that cannot be decoded has its key parked at once. Its error names type, position, key and reason, and has nothing of the
 * payload. A message whose type has no handler has its key parked as well, unless {@link #unknown} says otherwise.
 *
 * <p>Immutable: each method gives another reaction. Thread-safe if the handlers are.
 */
public final class TypedReaction implements Reaction {
    /**
     * Handles the messages of one type.
     *
     * @param <T> the class of the type
     */
    @FunctionalInterface
    public interface Handler<T> {
        /**
         * Does what the value asks for, and returns when it is done.
         *
         * @throws Exception if it failed; see {@link org.pgbaton.subscription.Verdict} for what that means
         */
        void handle(T value, Message message, Delivery delivery) throws Exception;
    }

    private final TypedHandlers<Delivery> handlers;

    private TypedReaction(TypedHandlers<Delivery> handlers) {
        this.handlers = handlers;
    }

    /** Begins with no handler. */
    public static TypedReaction with(MessageTypes types) {
        return new TypedReaction(TypedHandlers.with(types));
    }

    /**
     * Adds the handler of a type.
     *
     * @throws IllegalArgumentException if the class is not among the types, or has a handler already
     */
    public <T> TypedReaction on(Class<T> type, Handler<? super T> handler) {
        return new TypedReaction(handlers.on(type, handler::handle));
    }

    /** What to do with messages of other types. Default: {@link UnknownType#PARK}. */
    public TypedReaction unknown(UnknownType decision) {
        return new TypedReaction(handlers.unknown(decision));
    }

    /** The names of the types that have a handler, for {@link org.pgbaton.subscription.SubscriptionBuilder#types}. */
    public String[] types() {
        return handlers.names();
    }

    @Override
    public void handle(Message message, Delivery delivery) throws Exception {
        handlers.handle(message, delivery);
    }
}
