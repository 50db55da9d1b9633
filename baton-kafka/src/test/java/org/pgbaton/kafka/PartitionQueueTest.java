package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pgbaton.kafka.client.Clients;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** What is on its way to a partition, with answers that a real broker gives seldom. The producer is the one that Kafka offers for tests. */
class PartitionQueueTest {
    private static final String TOPIC = "orders";
    private static final Node NODE = new Node(1, "localhost", 9092);

    private final MockProducer<byte[], byte[]> producer = new MockProducer<>(
            new Cluster(
                    "test",
                    List.of(NODE),
                    List.of(new PartitionInfo(TOPIC, 0, NODE, new Node[] {NODE}, new Node[] {NODE})),
                    Set.of(),
                    Set.of()),
            false,
            null,
            new ByteArraySerializer(),
            new ByteArraySerializer());
    private final RecordSender sender = new RecordSender(
            "Kafka",
            () -> producer,
            new RecordSender.Options(false, false, 64_000, Duration.ofSeconds(20), Duration.ofSeconds(20)),
            Clients.thread("test"));

    @AfterEach
    void close() {
        sender.close();
    }

    @Test
    void theFirstGoesAloneAndTheOthersTogether() throws Exception {
        MessageGroup group = group(5);
        sender.accept(group);
        awaitSent(1);
        producer.completeNext();
        assertThat(producer.history()).hasSize(5);
        confirmAll();
        Outbox.published(group.published);
    }

    /** Old brokers do not say which record of a batch is at fault. */
    @Test
    void aBatchThatIsRefusedAsAWholeIsTriedOneByOne() throws Exception {
        MessageGroup good = group(2);
        MessageGroup bad = group(3);
        MessageGroup other = group(1);
        sender.accept(good);
        awaitSent(1);
        sender.accept(bad);
        sender.accept(other);
        producer.completeNext();
        assertThat(producer.history()).hasSize(6);
        for (int i = 0; i < 5; i++) {
            producer.errorNext(new InvalidRecordException("one of them"));
        }
        producer.completeNext(); // the second good one, alone
        producer.completeNext(); // the first bad one is fine
        producer.errorNext(new InvalidRecordException("this one"));
        producer.completeNext(); // the other, and not the third bad one
        assertThat(producer.completeNext()).isFalse();

        Outbox.published(good.published);
        Outbox.published(other.published);
        HandlerException failed = Outbox.failed(bad.published);
        assertThat(failed.verdict()).isEqualTo(Verdict.PARK);
        assertThat(failed.troubled()).isSameAs(bad.records().get(0).message);
        assertThat(producer.history()).hasSize(10);
    }

    @Test
    void anOutageEndsWhatWaitsBehindIt() throws Exception {
        MessageGroup first = group(1);
        MessageGroup waiting = group(3);
        sender.accept(first);
        awaitSent(1);
        sender.accept(waiting);
        producer.errorNext(new TimeoutException("no answer"));
        assertThat(Outbox.failed(first.published).verdict()).isEqualTo(Verdict.OUTAGE);
        assertThat(Outbox.failed(waiting.published).verdict()).isEqualTo(Verdict.OUTAGE);
        assertThat(producer.history()).hasSize(1);
    }

    /** A process that was frozen finds the answer to an old batch when it wakes up. Others have the lane by then. */
    @Test
    void whatWaitsIsNotSentForALaneThatAnotherHas() throws Exception {
        AtomicBoolean current = new AtomicBoolean(true);
        MessageGroup group = group(4, new Delivery("relay", "", 7, 1, current::get));
        sender.accept(group);
        awaitSent(1);
        current.set(false);
        producer.completeNext();
        HandlerException failed = Outbox.failed(group.published);
        assertThat(failed.verdict()).isEqualTo(Verdict.LATER);
        assertThat(failed.troubled()).isSameAs(group.first().message);
        assertThat(producer.history()).hasSize(1);
    }

    /** What comes before the message of a failure counts as published. */
    @Test
    void aFailureIsNeverAboutAMessageBehindOneWithoutAnAnswer() throws Exception {
        MessageGroup group = group(3);
        Message first = group.first().message;
        sender.accept(group);
        awaitSent(1);
        sender.close();
        HandlerException failed = Outbox.failed(group.published);
        assertThat(failed.verdict()).isEqualTo(Verdict.OUTAGE);
        assertThat(failed.troubled()).isSameAs(first);
    }

    private void awaitSent(int records) {
        await().atMost(Duration.ofSeconds(20)).until(() -> producer.history().size() == records);
    }

    private void confirmAll() {
        while (producer.completeNext()) {
            Thread.onSpinWait();
        }
    }

    private static MessageGroup group(int messages) {
        return group(messages, Outbox.FIRST);
    }

    private static MessageGroup group(int messages, Delivery delivery) {
        List<Draft> drafts = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            drafts.add(Draft.json("1").topic(TOPIC).key("a"));
        }
        MessageGroup group = new MessageGroup(TOPIC, delivery, System.nanoTime());
        for (Message message : Outbox.put(drafts)) {
            group.add(message, new ProducerRecord<>(TOPIC, new byte[] {1}, message.payload()));
        }
        return group;
    }
}
