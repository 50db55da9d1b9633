package org.pgbaton.nats;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.pgbaton.log.Draft;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.publisher.PublisherContract;

/** The contract of every publisher. The outage is a server that is stopped. */
class ContractTest extends PublisherContract {
    @Override
    protected Target target() throws Exception {
        assumeTrue(NatsServer.isInstalled(), NatsServer.MISSING);
        NatsServer server = NatsServer.start("jetstream {}", NatsServer.LOGIN, "max_payload: 200000");
        try (JetStreams streams = JetStreams.open(server.url())) {
            return new Stream(server, streams.stream());
        }
    }

    private record Stream(NatsServer server, String topic) implements Target {
        @Override
        public Publisher publisher() {
            return NatsPublisher.to(server.url()).timeout(Duration.ofSeconds(3)).build();
        }

        @Override
        public List<Arrived> arrived() throws Exception {
            try (JetStreams streams = JetStreams.open(server.url())) {
                return streams.arrived(topic);
            }
        }

        @Override
        public void breakDown() throws Exception {
            server.stop();
        }

        @Override
        public void recover() {
            server.restart();
        }

        @Override
        public Optional<Draft> poison(String key) {
            return Optional.of(Draft.bytes(new byte[300_000]).key(key).topic(topic));
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
