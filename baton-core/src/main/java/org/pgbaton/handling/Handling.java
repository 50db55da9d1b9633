package org.pgbaton.handling;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.BatchProjection;
import org.pgbaton.subscription.BatchReaction;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Projection;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Reaction;
import org.pgbaton.subscription.TransactionalPublisher;

/** The application's handler, of any kind, and the units that it is called with. */
public final class Handling {
    enum Grain {
        MESSAGE,
        KEY,
        BATCH
    }

    private final Grain grain;
    private final @Nullable Projection projection;
    private final @Nullable BatchProjection batchProjection;
    private final @Nullable Reaction reaction;
    private final @Nullable BatchReaction batchReaction;
    private final @Nullable Publisher publisher;
    private final @Nullable TransactionalPublisher transactional;

    private Handling(
            Grain grain,
            @Nullable Projection projection,
            @Nullable BatchProjection batchProjection,
            @Nullable Reaction reaction,
            @Nullable BatchReaction batchReaction,
            @Nullable Publisher publisher,
            @Nullable TransactionalPublisher transactional) {
        this.grain = grain;
        this.projection = projection;
        this.batchProjection = batchProjection;
        this.reaction = reaction;
        this.batchReaction = batchReaction;
        this.publisher = publisher;
        this.transactional = transactional;
    }

    public static Handling projection(Projection projection) {
        return new Handling(Grain.MESSAGE, projection, null, null, null, null, null);
    }

    public static Handling projection(Grain grain, BatchProjection projection) {
        return new Handling(grain, null, projection, null, null, null, null);
    }

    public static Handling reaction(Reaction reaction) {
        return new Handling(Grain.MESSAGE, null, null, reaction, null, null, null);
    }

    public static Handling reaction(Grain grain, BatchReaction reaction) {
        return new Handling(grain, null, null, null, reaction, null, null);
    }

    public static Handling publisher(Publisher publisher) {
        return new Handling(Grain.MESSAGE, null, null, null, null, publisher, null);
    }

    public static Handling publisher(TransactionalPublisher publisher) {
        return new Handling(Grain.MESSAGE, null, null, null, null, null, publisher);
    }

    /** Null if this is no relay, or one with transactions. */
    @Nullable
    public Publisher publisher() {
        return publisher;
    }

    /** Null unless this is a relay with transactions. */
    @Nullable
    public TransactionalPublisher transactional() {
        return transactional;
    }

    /** Where a relay publishes, for people; null if this is none. */
    @Nullable
    public String publishesTo() {
        return publisher != null ? publisher.target() : transactional != null ? transactional.target() : null;
    }

    public boolean isProjection() {
        return projection != null || batchProjection != null;
    }

    /** Whether a unit is of one key alone, so that the key can be set aside while its handler is still at it. */
    public boolean isOfOneKey() {
        return grain != Grain.BATCH;
    }

    void apply(List<Message> unit, Connection connection) throws Exception {
        if (batchProjection != null) {
            batchProjection.apply(unit, connection);
        } else if (projection != null) {
            for (Message message : unit) {
                projection.apply(message, connection);
            }
        }
    }

    void handle(List<Message> unit, Delivery delivery) throws Exception {
        if (batchReaction != null) {
            batchReaction.handle(unit, delivery);
        } else if (reaction != null) {
            for (Message message : unit) {
                reaction.handle(message, delivery);
            }
        }
    }

    /**
     * The units: the handler is called once for each.
     *
     * @param inTotalOrder then a unit has no messages behind one of another key
     */
    public List<List<Message>> units(List<Message> messages, boolean inTotalOrder) {
        return switch (grain) {
            case MESSAGE -> messages.stream().map(List::of).toList();
            case KEY -> inTotalOrder ? runs(messages) : byKey(messages);
            case BATCH -> messages.isEmpty() ? List.of() : List.of(messages);
        };
    }

    /** The same, but no unit has more than one key, to find the key at fault. */
    public List<List<Message>> unitsOfOneKey(List<Message> messages, boolean inTotalOrder) {
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
