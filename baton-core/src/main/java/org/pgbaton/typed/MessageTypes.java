package org.pgbaton.typed;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * The types of message that an application knows: for each of them a name, a class, and the versions that its payload had. It makes
 * drafts of objects, and objects of messages.
 *
 * <pre>{@code
 * MessageTypes types = MessageTypes.with(Jackson3Codecs.with(mapper))
 *         .add(Deposited.class)
 *         .add("MoneyWithdrawn", Withdrawn.class)
 *         .build();
 * events.append(connection, types.draft(new Deposited("EUR", 10)).key("account-42"));
 * }</pre>
 *
 * <p>Only a registered class is written, and only a registered name is read. A name that comes with a message is looked up here; no
 * class is loaded by it.
 *
 * <p>The version of a payload is 1, and one more with each {@link Builder#upcast}. It is written as the header {@link
 * Draft#PAYLOAD_VERSION}; a message without that header, from another client perhaps, has version 1. Reading passes an old payload
 * through the upcasters from its version on.
 *
 * <p>Immutable and thread-safe.
 */
public final class MessageTypes {
    private final Map<Class<?>, MessageType<?>> byClass;
    private final Map<String, MessageType<?>> byName;

    private MessageTypes(Map<Class<?>, MessageType<?>> byClass) {
        this.byClass = Map.copyOf(byClass);
        Map<String, MessageType<?>> names = new HashMap<>();
        byClass.values().forEach(type -> names.put(type.name(), type));
        this.byName = Map.copyOf(names);
    }

    /** Begins a registry. */
    public static Builder with(Codecs codecs) {
        return new Builder(Objects.requireNonNull(codecs, "codecs"));
    }

    /**
     * Makes a draft of an object, with the name of its type and the version of its payload. Key and topic are still to be set.
     *
     * @throws IllegalArgumentException if the object's class was not added, or the codec cannot write the object
     */
    public Draft draft(Object value) {
        return draft(value.getClass(), value);
    }

    private <T> Draft draft(Class<T> type, Object value) {
        return of(type).draft(type.cast(value));
    }

    /**
     * Reads a message as an object of the class that its type stands for. For handlers of batches; {@link TypedProjection} and {@link
     * TypedReaction} do it for handlers of one message.
     *
     * @throws HandlerException that parks the message's key, if its type was not added or it cannot be decoded
     */
    public Object read(Message message) {
        MessageType<?> type = message.type() == null ? null : byName.get(message.type());
        if (type == null) {
            throw new HandlerException(
                            Verdict.PARK,
                            MessageType.named(message)
                                    + " is of no type that this program knows: add its class, or skip"
                                    + " the message.")
                    .about(message);
        }
        return type.read(message);
    }

    @SuppressWarnings("unchecked") // the builder put it there with its class
    <T> MessageType<T> of(Class<T> type) {
        MessageType<?> known = byClass.get(type);
        if (known == null) {
            throw new IllegalArgumentException("The class " + type.getName()
                    + " is not among the types of messages: add it with MessageTypes.with(codecs).add(…).");
        }
        return (MessageType<T>) known;
    }

    /** Collects types. Not thread-safe. */
    public static final class Builder {
        private final Codecs codecs;
        private final Map<Class<?>, String> names = new LinkedHashMap<>();
        private final Map<Class<?>, TreeMap<Integer, Upcaster>> upcasters = new HashMap<>();

        private Builder(Codecs codecs) {
            this.codecs = codecs;
        }

        /** Adds a class, whose simple name is the name of the type. */
        public Builder add(Class<?> type) {
            return add(type.getSimpleName(), type);
        }

        /**
         * Adds a class.
         *
         * @param name of the type, as messages have it; it stays when the class gets another name
         * @throws IllegalArgumentException if the name or the class was added before
         */
        public Builder add(String name, Class<?> type) {
            if (name.isBlank()) {
                throw new IllegalArgumentException(
                        "A type of message needs a name, and " + type + " has none: give one.");
            }
            if (names.containsValue(name) || names.containsKey(type)) {
                throw new IllegalArgumentException("The type '" + name + "' or its class " + type.getName()
                        + " was added before: each has one name.");
            }
            names.put(type, name);
            upcasters.put(type, new TreeMap<>());
            return this;
        }

        /**
         * Says how a payload of an old version becomes one of the next. The highest version plus one is the version that is written.
         *
         * @param type a class that was added
         * @param from the old version, 1 or more
         */
        public Builder upcast(Class<?> type, int from, Upcaster upcaster) {
            TreeMap<Integer, Upcaster> known = upcasters.get(type);
            if (known == null) {
                throw new IllegalArgumentException("The class " + type.getName() + " has no name yet: add it first.");
            }
            if (from < 1 || from > 999_999_998) {
                throw new IllegalArgumentException(
                        "There is no upcaster from version " + from + ": give 1 to 999999998, versions begin at 1.");
            }
            if (known.putIfAbsent(from, Objects.requireNonNull(upcaster, "upcaster")) != null) {
                throw new IllegalArgumentException(
                        "The type '" + names.get(type) + "' has two upcasters from version " + from + ": give one.");
            }
            return this;
        }

        /**
         * Makes the registry.
         *
         * @throws IllegalArgumentException if an upcaster is missing between two others, or there is no codec for a class
         */
        public MessageTypes build() {
            Map<Class<?>, MessageType<?>> types = new LinkedHashMap<>();
            names.forEach((type, name) -> types.put(type, messageType(name, type)));
            return new MessageTypes(types);
        }

        private <T> MessageType<T> messageType(String name, Class<T> type) {
            TreeMap<Integer, Upcaster> known = Objects.requireNonNull(upcasters.get(type), name);
            int version = known.isEmpty() ? 1 : known.lastKey() + 1;
            if (!known.isEmpty() && version - known.firstKey() != known.size()) {
                throw new IllegalArgumentException(
                        "Of the type '" + name + "' an upcaster is missing between version " + known.firstKey()
                                + " and version " + version + ": there are those from " + known.keySet() + ".");
            }
            return new MessageType<>(name, codecs.codec(type), version, Map.copyOf(known));
        }
    }
}
