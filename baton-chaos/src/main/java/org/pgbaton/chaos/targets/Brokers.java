package org.pgbaton.chaos.targets;

import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.kafka.broker.BrokerProcess;
import org.pgbaton.nats.NatsServer;
import org.pgbaton.rabbitmq.RabbitServer;

/** The brokers of a campaign. Each is started when the first round wants it, and serves all that follow. Not thread-safe. */
public final class Brokers implements AutoCloseable {
    private @Nullable BrokerProcess kafka;
    private @Nullable NatsServer nats;
    private @Nullable RabbitServer rabbit;

    /** Why there cannot be such a target on this machine; null if there can. */
    public static @Nullable String missing(Part part) {
        return switch (part) {
            case NATS -> NatsServer.isInstalled() ? null : NatsServer.MISSING;
            case RABBITMQ -> RabbitServer.isInstalled() ? null : RabbitServer.MISSING;
            default -> null;
        };
    }

    /** @param name unlike that of any other round */
    public Target open(Part part, String name) throws Exception {
        return switch (part) {
            case WEBHOOK, CHANNEL -> new Endpoint(part);
            case KAFKA, KAFKA_AGAIN -> new KafkaTarget(kafka(), part, name);
            case NATS -> new NatsTarget(nats(), name);
            case RABBITMQ -> new RabbitTarget(rabbit(), name);
            default -> throw new IllegalArgumentException(part + " has no target");
        };
    }

    private BrokerProcess kafka() {
        BrokerProcess running = kafka;
        if (running == null) {
            running = BrokerProcess.start();
            kafka = running;
        }
        return running;
    }

    private NatsServer nats() {
        NatsServer running = nats;
        if (running == null) {
            running = NatsServer.start();
            nats = running;
        }
        return running;
    }

    private RabbitServer rabbit() {
        RabbitServer running = rabbit;
        if (running == null) {
            running = RabbitServer.start();
            rabbit = running;
        }
        return running;
    }

    @Override
    public void close() {
        if (kafka != null) {
            kafka.close();
        }
        if (nats != null) {
            nats.close();
        }
        if (rabbit != null) {
            rabbit.close();
        }
    }
}
