package org.pgbaton.chaos.targets;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.rabbitmq.RabbitServer;

/** A queue of its own on a RabbitMQ that rounds share. */
final class RabbitTarget implements Target {
    private final RabbitServer server;
    private final String queue;
    private Connection connection;
    private Channel channel;

    RabbitTarget(RabbitServer server, String queue) throws Exception {
        this.server = server;
        this.queue = queue;
        this.connection = connect();
        this.channel = connection.createChannel();
        channel.queueDeclare(queue, true, false, false, Map.of());
        server.writeDown(); // a queue declared a moment before the kill is not there afterwards
    }

    private Connection connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(server.uri());
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    @Override
    public Part part() {
        return Part.RABBITMQ;
    }

    @Override
    public String address() {
        return server.uri() + " " + queue;
    }

    @Override
    public long count() throws Exception {
        return channel.messageCount(queue);
    }

    @Override
    public List<Arrival> arrivals() throws Exception {
        connectAnew(); // the former connection may have been cut by a fault
        List<Arrival> arrivals = new ArrayList<>();
        for (GetResponse next = channel.basicGet(queue, true); next != null; next = channel.basicGet(queue, true)) {
            Map<String, Object> headers = next.getProps().getHeaders();
            arrivals.add(new Arrival(
                    Part.RABBITMQ.subscription(),
                    String.valueOf(headers.get("baton-key")),
                    next.getProps().getMessageId(),
                    Long.parseLong(String.valueOf(headers.get("baton-epoch")))));
        }
        return arrivals;
    }

    private void connectAnew() throws Exception {
        connection.abort(1000);
        connection = connect();
        channel = connection.createChannel();
    }

    @Override
    public void fallSilent() throws InterruptedException {
        server.freeze();
    }

    @Override
    public void answerAgain() {
        server.thaw();
    }

    @Override
    public void goAway() throws InterruptedException {
        server.kill();
    }

    @Override
    public void comeBack() throws Exception {
        server.restart();
        connectAnew();
    }

    @Override
    public void close() {
        try {
            channel.queueDelete(queue);
        } catch (Exception cut) {
            // It stays, and nobody sends to it any more.
        }
        connection.abort(1000);
    }
}
