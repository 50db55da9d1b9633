package org.pgbaton.nats;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.pgbaton.testkit.publisher.PublisherContract.Arrived;

/** The server that all tests of this JVM share, and a connection to look into its streams. */
final class JetStreams implements AutoCloseable {
    private static final class Shared {
        static final NatsServer SERVER = NatsServer.start("jetstream {}", NatsServer.LOGIN, "max_payload: 200000");
    }

    private final Connection connection;

    private JetStreams(Connection connection) {
        this.connection = connection;
    }

    /** Started with the first test; skips the test where there is no NATS. */
    static NatsServer server() {
        assumeTrue(NatsServer.isInstalled(), NatsServer.MISSING);
        return Shared.SERVER;
    }

    static JetStreams open() throws Exception {
        return open(server().url());
    }

    static JetStreams open(String url) throws Exception {
        return new JetStreams(Nats.connect(Options.builder()
                .server(url)
                .noReconnect()
                .supportUTF8Subjects()
                .build()));
    }

    Connection connection() {
        return connection;
    }

    /** A durable stream for one subject that nobody else uses. The subject is also the stream's name. */
    String stream() throws Exception {
        return stream(settings -> settings);
    }

    String stream(UnaryOperator<StreamConfiguration.Builder> settings) throws Exception {
        String name = "s-" + UUID.randomUUID();
        connection
                .jetStreamManagement()
                .addStream(
                        settings.apply(StreamConfiguration.builder().name(name).subjects(name))
                                .build());
        return name;
    }

    void add(String name, String... subjects) throws Exception {
        connection
                .jetStreamManagement()
                .addStream(StreamConfiguration.builder()
                        .name(name)
                        .subjects(subjects)
                        .build());
    }

    void delete(String name) throws Exception {
        connection.jetStreamManagement().deleteStream(name);
    }

    long count(String stream) throws IOException, JetStreamApiException {
        return connection
                .jetStreamManagement()
                .getStreamInfo(stream)
                .getStreamState()
                .getMsgCount();
    }

    /** Everything that is in the stream, in its order. */
    List<Message> read(String stream) throws Exception {
        long count = count(stream);
        List<Message> all = new ArrayList<>();
        JetStreamSubscription reading = connection
                .jetStream()
                .subscribe(">", PullSubscribeOptions.builder().stream(stream).build());
        while (all.size() < count) {
            List<Message> some = reading.fetch((int) Math.min(500, count - all.size()), Duration.ofSeconds(5));
            some.forEach(Message::ack);
            all.addAll(some);
        }
        reading.unsubscribe();
        return all;
    }

    /** The same, for contracts. */
    List<Arrived> arrived(String stream) throws Exception {
        List<Arrived> all = new ArrayList<>();
        for (Message each : read(stream)) {
            all.add(new Arrived(
                    header(each, "baton-key"), UUID.fromString(header(each, "Nats-Msg-Id")), each.getData()));
        }
        return all;
    }

    static String header(Message message, String name) {
        return String.valueOf(message.getHeaders().getFirst(name));
    }

    static List<String> ids(List<Message> messages) {
        return messages.stream().map(each -> header(each, "Nats-Msg-Id")).toList();
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
