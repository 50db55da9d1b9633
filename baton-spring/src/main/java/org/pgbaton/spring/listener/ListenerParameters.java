package org.pgbaton.spring.listener;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/**
 * What a listener's parameters stand for. Immutable.
 *
 * @param kinds one for each parameter
 * @param payload the class of the payload, or of the elements of a list of payloads; null if the listener wants none
 */
record ListenerParameters(List<Kind> kinds, @Nullable Class<?> payload) {
    /** What a parameter gets. */
    enum Kind {
        MESSAGE,
        MESSAGES,
        PAYLOAD,
        PAYLOADS,
        HEADERS,
        CONNECTION,
        DELIVERY
    }

    static ListenerParameters of(Method method, Class<?> beanType, boolean reaction) {
        List<Kind> kinds = new ArrayList<>();
        Class<?> payload = null;
        for (int i = 0; i < method.getParameterCount(); i++) {
            ResolvableType type = ResolvableType.forMethodParameter(
                    new MethodParameter(method, i), ResolvableType.forClass(beanType));
            Kind kind = kindOf(type);
            if (kind == Kind.PAYLOAD || kind == Kind.PAYLOADS) {
                payload = kind == Kind.PAYLOAD
                        ? type.toClass()
                        : type.getGeneric(0).toClass();
                requirePayload(method, payload);
            }
            if (kinds.contains(kind)) {
                throw refused(method, "has two parameters for the same thing: leave one of each kind.");
            }
            kinds.add(kind);
        }
        ListenerParameters parameters = new ListenerParameters(List.copyOf(kinds), payload);
        parameters.require(method, reaction);
        return parameters;
    }

    private static Kind kindOf(ResolvableType type) {
        Class<?> raw = type.toClass();
        if (raw == Message.class) {
            return Kind.MESSAGE;
        }
        if (raw == Connection.class) {
            return Kind.CONNECTION;
        }
        if (raw == Delivery.class) {
            return Kind.DELIVERY;
        }
        if (raw == List.class) {
            return type.getGeneric(0).toClass() == Message.class ? Kind.MESSAGES : Kind.PAYLOADS;
        }
        if (raw == Map.class
                && type.getGeneric(0).toClass() == String.class
                && type.getGeneric(1).toClass() == String.class) {
            return Kind.HEADERS;
        }
        return Kind.PAYLOAD;
    }

    private static void requirePayload(Method method, Class<?> payload) {
        if (payload == Object.class || payload == String.class || payload.isPrimitive() || payload.isArray()) {
            throw refused(
                    method,
                    "cannot get its payload as " + payload.getSimpleName()
                            + ": name a class of your own, or take the Message, which has text() and payload().");
        }
    }

    private void require(Method method, boolean reaction) {
        if (kinds.stream().noneMatch(kind -> kind.compareTo(Kind.PAYLOADS) <= 0)) {
            throw refused(
                    method, "takes no message: give it a parameter for the Message, its payload, or a List of them.");
        }
        boolean one = kinds.contains(Kind.MESSAGE) || kinds.contains(Kind.PAYLOAD) || kinds.contains(Kind.HEADERS);
        if (isBatch() && one) {
            throw refused(method, "takes a batch and a single message: take one or the other.");
        }
        if (reaction && kinds.contains(Kind.CONNECTION)) {
            throw refused(
                    method, "is a reaction, which has no Connection: remove the parameter, or remove reaction = true.");
        }
        if (!reaction && kinds.contains(Kind.DELIVERY)) {
            throw refused(
                    method, "is a projection, which has no Delivery: remove the parameter, or say reaction = true.");
        }
    }

    private static ListenerDeclarationException refused(Method method, String what) {
        return new ListenerDeclarationException(method, what, null);
    }

    boolean isBatch() {
        return kinds.contains(Kind.MESSAGES) || kinds.contains(Kind.PAYLOADS);
    }

    Object[] forOne(Message message, @Nullable Object value, @Nullable Object context) {
        Object[] arguments = new Object[kinds.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = switch (kinds.get(i)) {
                case MESSAGE -> message;
                case PAYLOAD -> value;
                case HEADERS -> message.headerMap();
                case CONNECTION, DELIVERY -> context;
                case MESSAGES, PAYLOADS -> throw new IllegalStateException("a batch");
            };
        }
        return arguments;
    }

    Object[] forBatch(List<Message> messages, List<Object> values, @Nullable Object context) {
        Object[] arguments = new Object[kinds.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = switch (kinds.get(i)) {
                case MESSAGES -> messages;
                case PAYLOADS -> values;
                case CONNECTION, DELIVERY -> context;
                case MESSAGE, PAYLOAD, HEADERS -> throw new IllegalStateException("a single message");
            };
        }
        return arguments;
    }
}
