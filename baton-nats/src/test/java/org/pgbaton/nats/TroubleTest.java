package org.pgbaton.nats;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.publisher.BrokerPublisherContract;
import org.pgbaton.testkit.publisher.BrokerServer;
import org.pgbaton.testkit.publisher.PublisherContract.Arrived;

/**
 * NATS dies and freezes; the network breaks and stalls. A message counts as published only if it is there, and the
 * publisher recovers by itself.
 */
class TroubleTest extends BrokerPublisherContract {
    @Override
    protected TestBroker broker() {
        return new SharedNats(JetStreams.server());
    }

    private record SharedNats(BrokerServer server) implements TestBroker {
        @Override
        public Publisher publisher(int port, Duration timeout) {
            String url = JetStreams.server().url();
            return NatsPublisher.to(url.replace(":" + server.port(), ":" + port))
                    .timeout(timeout)
                    .build();
        }

        @Override
        public Publisher publisher(Path passwordFile) {
            return NatsPublisher.to("nats://" + NatsServer.USER + "@127.0.0.1:" + server.port())
                    .passwordFile(passwordFile)
                    .build();
        }

        @Override
        public Words words() {
            return new Words("did not acknowledge", "refuses us", List.of("baton-nats"), NatsServer.PASSWORD);
        }

        @Override
        public String topic() throws Exception {
            try (JetStreams streams = JetStreams.open()) {
                return streams.stream();
            }
        }

        @Override
        public long count(String topic) throws Exception {
            try (JetStreams streams = JetStreams.open()) {
                return streams.count(topic);
            }
        }

        @Override
        public List<Arrived> read(String topic) throws Exception {
            try (JetStreams streams = JetStreams.open()) {
                return streams.arrived(topic);
            }
        }
    }
}
