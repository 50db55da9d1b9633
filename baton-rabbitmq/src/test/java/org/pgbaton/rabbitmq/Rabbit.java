package org.pgbaton.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.pgbaton.testkit.publisher.PublisherContract.Arrived;
import org.pgbaton.testkit.publisher.TestCertificate;

/** The broker that all tests of this JVM share, and a connection to look into its queues. */
final class Rabbit implements AutoCloseable {
    private static final class Shared {
        static final TestCertificate CERTIFICATE = TestCertificate.create();
        static final int TLS_PORT = RabbitServer.freePort();
        static final RabbitServer SERVER = RabbitServer.start(
                "listeners.ssl.1 = 127.0.0.1:" + TLS_PORT,
                "ssl_options.cacertfile = " + CERTIFICATE.certificate(),
                "ssl_options.certfile = " + CERTIFICATE.certificate(),
                "ssl_options.keyfile = " + CERTIFICATE.key(),
                "ssl_options.verify = verify_none",
                "max_message_size = 1000000");
    }

    private final Connection connection;
    private final Channel channel;

    private Rabbit(Connection connection, Channel channel) {
        this.connection = connection;
        this.channel = channel;
    }

    /** Started with the first test; skips the test where there is no RabbitMQ. */
    static RabbitServer server() {
        assumeTrue(RabbitServer.isInstalled(), RabbitServer.MISSING);
        return Shared.SERVER;
    }

    /** The certificate to trust at {@link #tlsPort}. */
    static SSLContext trusting() throws Exception {
        return Shared.CERTIFICATE.trusting();
    }

    static int tlsPort() {
        return Shared.TLS_PORT;
    }

    static Rabbit open() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(server().uri());
        factory.setAutomaticRecoveryEnabled(false);
        Connection connection = factory.newConnection();
        return new Rabbit(connection, connection.createChannel());
    }

    Channel channel() {
        return channel;
    }

    /** A durable queue that nobody else uses. */
    String queue() throws Exception {
        return queue(Map.of());
    }

    String queue(Map<String, Object> arguments) throws Exception {
        String name = "q-" + UUID.randomUUID();
        channel.queueDeclare(name, true, false, false, arguments);
        return name;
    }

    /** Everything that is in the queue, which is empty afterwards. */
    List<GetResponse> drain(String queue) throws Exception {
        List<GetResponse> all = consume(queue, (int) channel.messageCount(queue));
        for (GetResponse next = channel.basicGet(queue, true); next != null; next = channel.basicGet(queue, true)) {
            all.add(next);
        }
        return all;
    }

    /** The same, for contracts. */
    List<Arrived> arrived(String queue) throws Exception {
        return drain(queue).stream()
                .map(each ->
                        new Arrived(key(each), UUID.fromString(each.getProps().getMessageId()), each.getBody()))
                .toList();
    }

    /** One request for many messages is faster than one for each. */
    private List<GetResponse> consume(String queue, int number) throws Exception {
        BlockingQueue<GetResponse> delivered = new LinkedBlockingQueue<>();
        String consumer = channel.basicConsume(
                queue,
                true,
                (tag, each) ->
                        delivered.add(new GetResponse(each.getEnvelope(), each.getProperties(), each.getBody(), 0)),
                tag -> {});
        List<GetResponse> all = new ArrayList<>();
        while (all.size() < number) {
            GetResponse next = delivered.poll(20, TimeUnit.SECONDS);
            assertThat(next)
                    .as("the next of " + number + " after " + all.size())
                    .isNotNull();
            all.add(next);
        }
        channel.basicCancel(consumer);
        delivered.drainTo(all);
        return all;
    }

    static String key(GetResponse message) {
        return String.valueOf(message.getProps().getHeaders().get("baton-key"));
    }

    static List<String> ids(List<GetResponse> messages) {
        return messages.stream().map(each -> each.getProps().getMessageId()).toList();
    }

    @Override
    public void close() {
        connection.abort(1000);
    }
}
