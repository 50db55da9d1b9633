package org.pgbaton.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import org.pgbaton.log.Draft;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.publisher.PublisherContract;

class WebhookContractTest extends PublisherContract {
    @Override
    protected Target target() throws IOException {
        return new Endpoint();
    }

    /** Keeps what it gets; breaks down by closing its connections and its port. */
    private static final class Endpoint extends Dispatcher implements Target {
        private final List<Arrived> arrived = new CopyOnWriteArrayList<>();
        private MockWebServer server;
        private final int port;

        Endpoint() throws IOException {
            this.server = start(0);
            this.port = server.getPort();
        }

        private MockWebServer start(int port) throws IOException {
            MockWebServer started = new MockWebServer();
            started.setDispatcher(this);
            started.start(InetAddress.getLoopbackAddress(), port);
            return started;
        }

        @Override
        public MockResponse dispatch(RecordedRequest request) {
            if (request.getBody().utf8().equals("\"poison\"")) {
                return new MockResponse.Builder().code(422).build();
            }
            arrived.add(new Arrived(
                    String.valueOf(request.getHeaders().get("baton-key")),
                    UUID.fromString(String.valueOf(request.getHeaders().get("webhook-id"))),
                    request.getBody().toByteArray()));
            return new MockResponse.Builder().code(202).build();
        }

        @Override
        public Publisher publisher() {
            return WebhookPublisher.to(URI.create("http://127.0.0.1:" + port + "/hook"))
                    .allowPrivate(true)
                    .secret(Sending.SECRET)
                    .build();
        }

        @Override
        public List<Arrived> arrived() {
            return arrived;
        }

        @Override
        public void breakDown() {
            server.close();
        }

        @Override
        public void recover() throws IOException {
            server = start(port);
        }

        @Override
        public Optional<Draft> poison(String key) {
            return Optional.of(Draft.json("\"poison\"").key(key).topic(topic()));
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
