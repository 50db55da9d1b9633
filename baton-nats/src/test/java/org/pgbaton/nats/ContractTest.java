package org.pgbaton.nats;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.pgbaton.log.Draft;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.PublisherContract;

/** What every publisher owes its relay; the outage is a server that is stopped. */
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
                List<Arrived> all = new ArrayList<>();
                for (io.nats.client.Message each : streams.read(topic)) {
                    UUID id = UUID.fromString(JetStreams.header(each, "Nats-Msg-Id"));
                    all.add(new Arrived(JetStreams.header(each, "baton-key"), id, each.getData()));
                }
                return all;
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
