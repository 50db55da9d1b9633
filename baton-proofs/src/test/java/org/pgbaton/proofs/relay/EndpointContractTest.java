package org.pgbaton.proofs.relay;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.publisher.PublisherContract;

/** Tests the contract itself: a target that keeps it passes. */
class EndpointContractTest extends PublisherContract {
    @Override
    protected Target target() {
        Endpoint endpoint = new Endpoint();
        endpoint.refused.add("\"poison\"");
        return new Target() {
            @Override
            public Publisher publisher() {
                return new Publisher() {
                    @Override
                    public String target() {
                        return endpoint.target();
                    }

                    @Override
                    public CompletionStage<?> publish(Message message, Delivery delivery) {
                        return endpoint.publish(message, delivery);
                    }

                    @Override
                    public void close() {}
                };
            }

            @Override
            public List<Arrived> arrived() {
                List<Arrived> all = new ArrayList<>();
                endpoint.arrived.forEach(
                        message -> all.add(new Arrived(message.key(), message.id(), message.payload())));
                return all;
            }

            @Override
            public void breakDown() {
                endpoint.away = true;
            }

            @Override
            public void recover() {
                endpoint.away = false;
            }

            @Override
            public Optional<Draft> poison(String key) {
                return Optional.of(Draft.json("\"poison\"").key(key).topic("contract"));
            }

            @Override
            public void close() {
                endpoint.close();
            }
        };
    }
}
