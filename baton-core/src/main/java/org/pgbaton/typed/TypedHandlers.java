package org.pgbaton.typed;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Finds the handler of a message by its type, and calls it with the decoded object. Immutable.
 *
 * @param <C> what a handler gets besides the message: a connection, or a delivery
 */
record TypedHandlers<C>(MessageTypes types, Map<String, Call<C>> calls, UnknownType unknown) {
    /** Decodes and calls. */
    @FunctionalInterface
    interface Call<C> {
        void call(Message message, C context) throws Exception;
    }

    /** A handler of decoded objects. */
    @FunctionalInterface
    interface Handler<T, C> {
        void handle(T value, Message message, C context) throws Exception;
    }

    static <C> TypedHandlers<C> with(MessageTypes types) {
        return new TypedHandlers<>(Objects.requireNonNull(types, "types"), Map.of(), UnknownType.PARK);
    }

    <T> TypedHandlers<C> on(Class<T> type, Handler<? super T, C> handler) {
        MessageType<T> known = types.of(type);
        if (calls.containsKey(known.name())) {
            throw new IllegalArgumentException("The type '" + known.name() + "' has a handler already: give one.");
        }
        Map<String, Call<C>> more = new LinkedHashMap<>(calls);
        more.put(known.name(), (message, context) -> handler.handle(known.read(message), message, context));
        return new TypedHandlers<>(types, more, unknown);
    }

    TypedHandlers<C> unknown(UnknownType decision) {
        return new TypedHandlers<>(types, calls, Objects.requireNonNull(decision, "decision"));
    }

    String[] names() {
        return calls.keySet().toArray(String[]::new);
    }

    void handle(Message message, C context) throws Exception {
        @Nullable Call<C> call = message.type() == null ? null : calls.get(message.type());
        if (call != null) {
            call.call(message, context);
        } else if (unknown != UnknownType.SKIP) {
            throw new HandlerException(
                            unknown == UnknownType.STOP ? Verdict.STOP : Verdict.PARK,
                            MessageType.named(message)
                                    + " has no handler: add one, or choose unknown(UnknownType.SKIP).")
                    .about(message);
        }
    }
}
