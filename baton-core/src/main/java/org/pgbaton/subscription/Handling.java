package org.pgbaton.subscription;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/** The application's handler, of whichever shape, and the units it is called with. */
final class Handling {
    enum Grain {
        MESSAGE,
        KEY,
        BATCH
    }

    private final Grain grain;
    private final @Nullable BatchProjection projection;
    private final @Nullable BatchReaction reaction;

    private final @Nullable Publisher publisher;
    private final @Nullable TransactionalPublisher transactional;

    private Handling(
            Grain grain,
            @Nullable BatchProjection projection,
            @Nullable BatchReaction reaction,
            @Nullable Publisher publisher,
            @Nullable TransactionalPublisher transactional) {
        this.grain = grain;
        this.projection = projection;
        this.reaction = reaction;
        this.publisher = publisher;
        this.transactional = transactional;
    }

    static Handling projection(Grain grain, BatchProjection projection) {
        return new Handling(grain, projection, null, null, null);
    }

    static Handling reaction(Grain grain, BatchReaction reaction) {
        return new Handling(grain, null, reaction, null, null);
    }

    static Handling publisher(Publisher publisher) {
        return new Handling(Grain.MESSAGE, null, null, publisher, null);
    }

    static Handling publisher(TransactionalPublisher transactional) {
        return new Handling(Grain.MESSAGE, null, null, null, transactional);
    }

    /** Null if this is no relay, or one with transactions. */
    @Nullable
    Publisher publisher() {
        return publisher;
    }

    /** Null unless this is a relay with transactions. */
    @Nullable
    TransactionalPublisher transactional() {
        return transactional;
    }

    /** Where a relay publishes, for people; null if this is none. */
    @Nullable
    String publishesTo() {
        return publisher != null ? publisher.target() : transactional != null ? transactional.target() : null;
    }

    boolean isProjection() {
        return projection != null;
    }

    /** Whether a unit is of one key alone, so that the key can be set aside while its handler is still at it. */
    boolean isOfOneKey() {
        return grain != Grain.BATCH;
    }

    void apply(List<Message> unit, Connection connection) throws Exception {
        if (projection != null) {
            projection.apply(unit, connection);
        }
    }

    void handle(List<Message> unit, Delivery delivery) throws Exception {
        if (reaction != null) {
            reaction.handle(unit, delivery);
        }
    }

    /**
     * What is handed to the handler in one call each.
     *
     * @param inTotalOrder then a unit has no messages behind one of another key
     */
    List<List<Message>> units(List<Message> messages, boolean inTotalOrder) {
        return switch (grain) {
            case MESSAGE -> messages.stream().map(List::of).toList();
            case KEY -> inTotalOrder ? runs(messages) : byKey(messages);
            case BATCH -> messages.isEmpty() ? List.of() : List.of(messages);
        };
    }

    /** The same, but no unit has more than one key: to find out whose fault it is. */
    List<List<Message>> unitsOfOneKey(List<Message> messages, boolean inTotalOrder) {
        if (grain != Grain.BATCH) {
            return units(messages, inTotalOrder);
        }
        return inTotalOrder ? runs(messages) : byKey(messages);
    }

    private static List<List<Message>> runs(List<Message> messages) {
        List<List<Message>> runs = new ArrayList<>();
        @Nullable String key = null;
        for (Message message : messages) {
            if (!message.key().equals(key)) {
                key = message.key();
                runs.add(new ArrayList<>());
            }
            runs.get(runs.size() - 1).add(message);
        }
        return runs;
    }

    private static List<List<Message>> byKey(List<Message> messages) {
        Map<String, List<Message>> keys = new LinkedHashMap<>();
        messages.forEach(message ->
                keys.computeIfAbsent(message.key(), key -> new ArrayList<>()).add(message));
        return List.copyOf(keys.values());
    }
}
