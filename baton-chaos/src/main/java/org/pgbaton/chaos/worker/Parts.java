package org.pgbaton.chaos.worker;

import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.capture.CapturedOperation;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.kafka.KafkaPublisher;
import org.pgbaton.kafka.KafkaTransactionalPublisher;
import org.pgbaton.log.Message;
import org.pgbaton.nats.NatsPublisher;
import org.pgbaton.rabbitmq.RabbitPublisher;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.SubscriptionBuilder;

/** Starts what a process does. */
public final class Parts {
    /** How long a call to a target may take. */
    public static final Duration PATIENCE = Duration.ofSeconds(4);

    /** Less than what a lane may have in flight by default: what may come again is bounded by it. */
    private static final int BATCH = 50;

    private static final int WORKERS = 2;

    private static final String INSERT = "INSERT INTO public.handled (subscription, position, key) VALUES (?, ?, ?)";
    private static final String COUNT = """
            INSERT INTO public.latest VALUES (?, ?, 1) ON CONFLICT (subscription, key) DO UPDATE SET messages = latest.messages + 1""";
    private static final String FAILS = "SELECT millis FROM public.failing WHERE key = ?";
    private static final String REACT = "INSERT INTO public.reacted (key, id, epoch) VALUES (?, ?, ?)";
    private static final String OVERLAP =
            "INSERT INTO public.witness (invariant, what) VALUES ('I3', 'reaction: two calls of ' || ? || ' at once in ' || ?)";

    /** Of a reaction: one for each thread. */
    /** The application's name in connections that handlers open for themselves and keep as long as their thread lives. */
    public static final String HANDLER = "handler";

    private static final ThreadLocal<@Nullable Connection> CONNECTIONS = new ThreadLocal<>();

    private final Baton baton;
    private final String url;
    private final String name;
    private final BooleanSupplier isOver;
    private final String log = System.getProperty(WorkerProgram.LOG, "events");
    /** Keys that a call of the reaction is at work for. */
    private final Set<String> calls = ConcurrentHashMap.newKeySet();

    /** @param isOver whether everything has ended */
    Parts(Baton baton, String url, String name, BooleanSupplier isOver) {
        this.baton = baton;
        this.url = url;
        this.name = name;
        this.isOver = isOver;
    }

    /** @param address what {@code Target.address} of its target says */
    void start(Part part, String address) {
        switch (part) {
            case LEADERSHIP ->
                baton.leadership(Part.JOB)
                        .lease(WorkerProgram.LEASE)
                        .campaign(new GuardedWriter(url, name, isOver)::lead);
            case PROJECTION, REBUILT -> project(part, subscription(part, log));
            case REBUILD -> project(part, subscription(Part.REBUILT, log).target(Part.NEXT));
            case TOTAL ->
                subscription(part, log)
                        .order(MessageOrder.TOTAL)
                        .batch(BATCH)
                        .projectBatches((messages, connection) -> project(part, messages, connection))
                        .start();
            case REACTION ->
                subscription(part, log)
                        .workers(WORKERS)
                        .batch(BATCH)
                        .react(this::react)
                        .start();
            case CAPTURE -> {
                baton.capture(Part.ACCOUNTS)
                        .table("public." + Part.ACCOUNTS)
                        .operations(CapturedOperation.INSERT, CapturedOperation.UPDATE)
                        .key("key")
                        .lease(WorkerProgram.LEASE)
                        .start();
                project(part, subscription(part, Part.ACCOUNTS));
            }
            default -> relay(part, address);
        }
    }

    private void project(Part part, SubscriptionBuilder subscription) {
        subscription
                .project((message, connection) -> project(part, List.of(message), connection))
                .start();
    }

    private SubscriptionBuilder subscription(Part part, String log) {
        return baton.subscription(part.subscription())
                .on(log)
                .attempts(1_000) // nobody is there to say 'retry'
                .backoff(Duration.ofMillis(20), Duration.ofMillis(500));
    }

    private static void project(Part part, List<Message> messages, Connection connection)
            throws SQLException, InterruptedException {
        try (PreparedStatement fails = connection.prepareStatement(FAILS);
                PreparedStatement insert = connection.prepareStatement(INSERT);
                PreparedStatement count = connection.prepareStatement(COUNT)) {
            for (Message message : messages) {
                requireThatItDoesNotFail(fails, message);
                insert.setString(1, part.subscription());
                insert.setLong(2, message.position());
                insert.setString(3, message.key());
                insert.addBatch();
                count.setString(1, part.subscription());
                count.setString(2, message.key());
                count.addBatch();
            }
            insert.executeBatch();
            count.executeBatch();
        }
    }

    private static void requireThatItDoesNotFail(PreparedStatement fails, Message message)
            throws SQLException, InterruptedException {
        fails.setString(1, message.key());
        try (ResultSet row = fails.executeQuery()) {
            if (row.next()) {
                int millis = row.getInt(1);
                if (millis == 0) {
                    throw new IllegalStateException("key " + message.key() + " fails for now");
                }
                Thread.sleep(millis);
            }
        }
    }

    private void react(Message message, Delivery delivery) throws SQLException, InterruptedException {
        boolean alone = calls.add(message.key());
        try {
            react(message, delivery, alone);
        } finally {
            if (alone) {
                calls.remove(message.key());
            }
        }
    }

    /** @param alone whether no other call of its key is at work in this process */
    private void react(Message message, Delivery delivery, boolean alone) throws SQLException, InterruptedException {
        Connection connection = CONNECTIONS.get();
        if (connection == null || connection.isClosed()) {
            connection = DatabaseUrl.parse(url).connector().connect();
            connection.setClientInfo("ApplicationName", HANDLER);
            CONNECTIONS.set(connection);
        }
        try (PreparedStatement fails = connection.prepareStatement(FAILS);
                PreparedStatement insert = connection.prepareStatement(REACT)) {
            requireThatItDoesNotFail(fails, message);
            insert.setString(1, message.key());
            insert.setString(2, message.id().toString());
            insert.setLong(3, delivery.epoch());
            insert.executeUpdate();
        }
        if (!alone) {
            try (PreparedStatement overlap = connection.prepareStatement(OVERLAP)) {
                overlap.setString(1, message.key());
                overlap.setString(2, name);
                overlap.executeUpdate();
            }
        }
    }

    private void relay(Part part, String address) {
        SubscriptionBuilder relay = subscription(part, part == Part.CHANNEL ? Part.ACCOUNTS : log)
                .workers(WORKERS)
                .batch(BATCH);
        String[] parts = address.split(" ", -1);
        switch (part) {
            case WEBHOOK, CHANNEL ->
                relay.publish(WebhookPublisher.to(URI.create(address))
                        .allowPrivate(true)
                        .timeout(PATIENCE)
                        .build());
            case KAFKA ->
                relay.publish(KafkaTransactionalPublisher.to(parts[0])
                        .topic(parts[1])
                        .prefix(parts[1])
                        .build());
            case KAFKA_AGAIN ->
                relay.publish(KafkaPublisher.to(parts[0]).topic(parts[1]).build());
            case RABBITMQ ->
                relay.publish(RabbitPublisher.to(parts[0])
                        .exchange("")
                        .routingKey(parts[1])
                        .timeout(PATIENCE)
                        .build());
            case NATS ->
                relay.publish(NatsPublisher.to(parts[0])
                        .subject(parts[1])
                        .timeout(PATIENCE)
                        .build());
            default -> throw new IllegalArgumentException("no relay: " + part);
        }
        relay.start();
    }
}
