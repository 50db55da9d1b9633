package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cloudevents.CloudEvent;
import io.cloudevents.SpecVersion;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Consumers read records as CloudEvents, with the library of the CloudEvents project. */
@BatonTest
class CloudEventsTest {
    private static final String SOURCE = "/shop/orders";

    private final TestBroker broker = TestBroker.shared();

    private KafkaPublisher.Builder here() {
        return KafkaPublisher.to(broker.bootstrapServers()).cloudEvents(SOURCE);
    }

    private CloudEvent arrived(Message message, String topic) throws Exception {
        try (KafkaPublisher publisher = here().build()) {
            Outbox.published(publisher.publish(message, Outbox.FIRST));
        }
        List<ConsumerRecord<byte[], byte[]>> records = broker.topics().committed(topic);
        return KafkaMessageFactory.createReader(records.get(records.size() - 1)).toEvent();
    }

    @Test
    void aRecordIsACloudEvent() throws Exception {
        String topic = broker.topics().create(1);
        Message message = Outbox.put(Draft.json("{ \"amount\": 10 }")
                .topic(topic)
                .key("Konto 42/ü")
                .type("Deposited")
                .headersJson("{\"ce_tenant\": \"7\", \"other\": \"x\"}"));

        CloudEvent event = arrived(message, topic);

        assertThat(event.getSpecVersion()).isEqualTo(SpecVersion.V1);
        assertThat(event.getId()).isEqualTo(message.id().toString());
        assertThat(event.getSource()).isEqualTo(URI.create(SOURCE));
        assertThat(event.getType()).isEqualTo("Deposited");
        assertThat(event.getSubject()).isEqualTo("Konto 42/ü");
        assertThat(event.getTime().toInstant()).isEqualTo(message.recordedAt());
        assertThat(event.getDataContentType()).isEqualTo("application/json");
        assertThat(event.getData().toBytes()).isEqualTo(message.payload());
        assertThat(event.getExtensionNames()).containsExactly("tenant");
    }

    @Test
    void aMessageCannotPassItselfOffAsAnother() throws Exception {
        String topic = broker.topics().create(1);
        Message message = Outbox.put(
                Draft.json("1")
                        .topic(topic)
                        .headersJson(
                                "{\"ce_id\": \"1\", \"CE_Source\": \"/bank\", \"ce_subject\": \"boss\", \"ce_time\": \"never\"}"));

        CloudEvent event = arrived(message, topic);

        assertThat(event.getId()).isEqualTo(message.id().toString());
        assertThat(event.getSource()).isEqualTo(URI.create(SOURCE));
        assertThat(event.getSubject()).as("no key was given").isNull();
        assertThat(event.getType()).as("no type was given").isEqualTo(topic);
        assertThat(event.getExtensionNames()).isEmpty();
    }

    @Test
    void exactlyOnceToo(TestDatabase database) throws Exception {
        String topic = broker.topics().create(1);
        try (Baton baton = database.baton();
                KafkaTransactionalPublisher publisher = KafkaTransactionalPublisher.to(broker.bootstrapServers())
                        .prefix(topic)
                        .cloudEvents(SOURCE)
                        .build();
                Subscription relay = baton.subscription("events-out")
                        .on("outbox")
                        .publish(publisher)
                        .start()) {
            Draft draft = Draft.json("1").topic(topic).key("k").type("Deposited");
            long position = baton.outbox().sendNow(draft).position();
            assertThat(baton.subscriptions().awaitProcessed("events-out", position, Duration.ofSeconds(60)))
                    .isTrue();

            CloudEvent event = KafkaMessageFactory.createReader(
                            broker.topics().committed(topic).get(0))
                    .toEvent();
            assertThat(event.getId()).isEqualTo(draft.id().toString());
            assertThat(event.getType()).isEqualTo("Deposited");
            assertThat(relay.health().isHealthy()).isTrue();
        }
    }

    @Test
    void aMessageWithNeitherTypeNorTopicIsParked() {
        Message message = Outbox.put(Draft.json("1"));
        try (KafkaPublisher publisher = here().topic("any").build()) {
            assertThatExceptionOfType(HandlerException.class)
                    .isThrownBy(() -> publisher.publish(message, Outbox.FIRST))
                    .withMessageContaining("has neither type nor topic, and a CloudEvent needs a type")
                    .matches(failure -> failure.verdict() == Verdict.PARK);
        }
    }

    @Test
    void withoutTheOptionARecordIsNone() throws Exception {
        String topic = broker.topics().create(1);
        try (KafkaPublisher publisher =
                KafkaPublisher.to(broker.bootstrapServers()).build()) {
            Outbox.published(publisher.publish(Outbox.put(topic, "k", "1"), Outbox.FIRST));
        }
        assertThat(broker.topics().committed(topic).get(0).headers())
                .noneMatch(header -> header.key().startsWith("ce_"));
    }

    @Test
    void aSourceIsAUriOrAPartOfOne() {
        for (String wrong : List.of("", " ", "a b", "/größe", "%zz")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KafkaPublisher.to("k:1").cloudEvents(wrong))
                    .withMessageContaining("'" + wrong + "' is no source of CloudEvents");
        }
        for (String right : List.of("/", "orders", "urn:shop:orders", "https://example.com/a%20b?c#d")) {
            KafkaPublisher.to("k:1").cloudEvents(right);
        }
    }
}
