package org.pgbaton.chaos.targets;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.nats.NatsServer;

/** A stream of its own on a NATS server that rounds share. */
final class NatsTarget implements Target {
    private final NatsServer server;
    private final String name;
    private Connection connection;

    NatsTarget(NatsServer server, String name) throws Exception {
        this.server = server;
        this.name = name;
        this.connection = connect();
        connection
                .jetStreamManagement()
                .addStream(
                        StreamConfiguration.builder().name(name).subjects(name).build());
    }

    private Connection connect() throws Exception {
        return Nats.connect(Options.builder()
                .server(server.url())
                .noReconnect()
                .errorListener(new ErrorListener() {})
                .build());
    }

    @Override
    public Part part() {
        return Part.NATS;
    }

    @Override
    public String address() {
        return server.url() + " " + name;
    }

    @Override
    public long count() throws Exception {
        return connection
                .jetStreamManagement()
                .getStreamInfo(name)
                .getStreamState()
                .getMsgCount();
    }

    @Override
    public List<Arrival> arrivals() throws Exception {
        connection.close();
        connection = connect(); // the former one may have been cut by a fault
        long count = count();
        List<Arrival> arrivals = new ArrayList<>();
        JetStreamSubscription reading = connection
                .jetStream()
                .subscribe(">", PullSubscribeOptions.builder().stream(name).build());
        while (arrivals.size() < count) {
            for (Message each : reading.fetch((int) Math.min(500, count - arrivals.size()), Duration.ofSeconds(5))) {
                each.ack();
                arrivals.add(new Arrival(
                        Part.NATS.subscription(),
                        header(each, "baton-key"),
                        header(each, "Nats-Msg-Id"),
                        Long.parseLong(header(each, "baton-epoch"))));
            }
        }
        reading.unsubscribe();
        return arrivals;
    }

    private static String header(Message message, String name) {
        return String.valueOf(message.getHeaders().getFirst(name));
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
        connection = connect();
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }
}
