package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.kafka.client.Settings;

class SettingsTest {

    @ParameterizedTest
    @CsvSource({
        "acks, 1",
        "acks, 0",
        "enable.idempotence, false",
        "max.in.flight.requests.per.connection, 6",
        "retries, 0",
        "transactional.id, mine",
        "key.serializer, org.apache.kafka.common.serialization.StringSerializer",
        "partitioner.ignore.keys, true",
        "bootstrap.servers, elsewhere:9092",
        "delivery.timeout.ms, 120000",
        "max.block.ms, 60000",
        "transaction.timeout.ms, 1000",
        "linger.ms, 60000",
        "compression.type, none of those",
    })
    void whatWouldBreakAPromiseIsRefused(String name, String value) {
        assertThatThrownBy(() -> KafkaPublisher.to("h:1").property(name, value).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
        assertThatThrownBy(() -> KafkaTransactionalPublisher.to("h:1")
                        .properties(Map.of(name, value))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }

    @Test
    void aPartitionerThatIgnoresKeysIsRefusedHoweverItIsGiven() {
        for (Object given : new Object[] {RoundRobinPartitioner.class, RoundRobinPartitioner.class.getName()}) {
            assertThatThrownBy(() -> KafkaPublisher.to("h:1")
                            .property("partitioner.class", given)
                            .build())
                    .hasMessageContaining("one partition");
        }
    }

    @Test
    void whatIsHarmlessIsNot() {
        assertThatCode(() -> KafkaPublisher.to("kafka-1:9092, [::1]:9093")
                        .properties(Map.of(
                                "acks",
                                "all",
                                "enable.idempotence",
                                true,
                                "max.in.flight.requests.per.connection",
                                1,
                                "compression.type",
                                "zstd",
                                "linger.ms",
                                5,
                                "our.own.setting",
                                "x"))
                        .build()
                        .close())
                .doesNotThrowAnyException();
    }

    @Test
    void otherBadValuesAreRefusedWithASentence() {
        for (String servers : new String[] {"", "kafka", "kafka:9092,", "a b:1:x"}) {
            assertThatThrownBy(() -> KafkaPublisher.to(servers)).hasMessageContaining("host:port");
        }
        assertThatThrownBy(() -> KafkaPublisher.to("h:1").topic("a b")).hasMessageContaining("cannot name a topic");
        assertThatThrownBy(() -> KafkaPublisher.to("h:1").timeout(Duration.ZERO))
                .hasMessageContaining("2 s to 1 hour");
        assertThatThrownBy(() -> KafkaTransactionalPublisher.to("h:1").groups(0))
                .hasMessageContaining("default 4");
        assertThatThrownBy(() -> KafkaTransactionalPublisher.to("h:1").prefix("a/b"))
                .hasMessageContaining("prefix");
        assertThatThrownBy(() -> KafkaTransactionalPublisher.to("h:1").database("a.b"))
                .hasMessageContaining("'a.b' cannot name a database");
    }

    @Test
    void whatOnlyAProducerKnowsIsKeptFromTheOthers() {
        Settings settings = Settings.of(
                "h:1",
                Map.of(
                        "security.protocol", "SASL_SSL",
                        "sasl.jaas.config", "some.Module required password=\"secret\";",
                        "compression.type", "zstd",
                        "interceptor.classes", "org.example.Producing",
                        "our.own.setting", "x"));
        for (Map<String, Object> others : List.of(settings.consumer(Map.of()), settings.admin(Map.of()))) {
            assertThat(others)
                    .containsKeys("security.protocol", "sasl.jaas.config", "our.own.setting", "bootstrap.servers")
                    .doesNotContainKeys("compression.type", "interceptor.classes");
        }
        assertThat(settings.toString()).doesNotContain("secret");
    }

    /** Baton compares targets, so that one relay does not run with two sets of transactional ids. */
    @Test
    void theTargetHasTheDatabaseNameIfThereIsOne() {
        try (KafkaTransactionalPublisher plain =
                        KafkaTransactionalPublisher.to("h:1").prefix("shop").build();
                KafkaTransactionalPublisher named = KafkaTransactionalPublisher.to("h:1")
                        .topic("all")
                        .prefix("shop")
                        .database("eu")
                        .build()) {
            assertThat(plain.target()).isEqualTo("Kafka at h:1");
            assertThat(named.target()).isEqualTo("Kafka at h:1, topic all, prefix shop, database eu");
        }
    }
}
