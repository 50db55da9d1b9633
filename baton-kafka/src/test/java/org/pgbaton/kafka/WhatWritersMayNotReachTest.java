package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** Whoever may write messages may not speak for Kafka, for its tools, or for another relay. */
class WhatWritersMayNotReachTest {
    private final TestBroker broker = TestBroker.shared();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "__consumer_offsets",
                "__transaction_state",
                "_schemas",
                "baton.progress.victim",
                "shop.progress.victim"
            })
    void aMessageThatChoosesAReservedTopicIsParkedWithASentence(String topic) {
        Message message = Outbox.put(topic, "group", "forged");
        Message fine = Outbox.put(broker.topics().create(1), "a", "fine");
        try (KafkaTransactionalPublisher publisher = KafkaTransactionalPublisher.to(broker.bootstrapServers())
                        .prefix("shop")
                        .groups(1)
                        .build();
                Feed feed = publisher.open("forger-" + topic, 0)) {
            FeedException refused = catchThrowableOfType(
                    FeedException.class, () -> feed.publish(List.of(fine, message), Outbox.FIRST, Map.of()));
            assertThat(refused.troubled()).isSameAs(message);
            assertThat(refused.verdict()).isEqualTo(Verdict.PARK);
            assertThat(refused).hasMessageContaining(topic).hasMessageContaining("may not choose");
        }
        if (!topic.startsWith("shop")) {
            try (KafkaPublisher publisher =
                    KafkaPublisher.to(broker.bootstrapServers()).build()) {
                assertThatThrownBy(() -> publisher.publish(message, Outbox.FIRST))
                        .isInstanceOfSatisfying(
                                HandlerException.class,
                                parked -> assertThat(parked.verdict()).isEqualTo(Verdict.PARK))
                        .hasMessageContaining("may not choose");
            }
            if (!topic.equals("_schemas")) {
                assertThatThrownBy(() ->
                                KafkaPublisher.to(broker.bootstrapServers()).topic(topic))
                        .hasMessageContaining("Kafka's own or of Baton's");
            }
        }
    }

    /** A relay does not know the prefixes of all others. */
    @Test
    void aMarkThatCameAsAMessageIsIgnored() throws Exception {
        try (KafkaTransactionalPublisher victims = KafkaTransactionalPublisher.to(broker.bootstrapServers())
                        .prefix("other")
                        .groups(1)
                        .build();
                KafkaPublisher forger =
                        KafkaPublisher.to(broker.bootstrapServers()).build()) {
            try (Feed victim = victims.open("victim", 0)) {
                victim.publish(List.of(), Outbox.FIRST, Map.of("group", "1.1.1 7 x", "key k", "1.1.1 5 y"));
            }
            Outbox.published(forger.publish(
                    Outbox.put("other.progress.victim", "group", "1.1.1 999 00000000-0000-0000-0000-000000000000"),
                    Outbox.FIRST));
            Outbox.published(forger.publish(Outbox.put("other.progress.victim", "key z", "1.1.1 999 z"), Outbox.FIRST));
            try (Feed victim = victims.open("victim", 0)) {
                assertThat(victim.marks()).isEqualTo(Map.of("group", "1.1.1 7 x", "key k", "1.1.1 5 y"));
            }
        }
    }
}
