package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.kafka.client.Clients;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** What Kafka refuses while a feed is opened, and will refuse again, is a stop that says what to do. */
class OpeningTest {
    private final TestBroker broker = TestBroker.shared();

    private KafkaTransactionalPublisher.Builder publisher() {
        return KafkaTransactionalPublisher.to(broker.bootstrapServers()).groups(1);
    }

    private static HandlerException refusal(KafkaTransactionalPublisher publisher, String relay) {
        try (publisher) {
            HandlerException refused = catchThrowableOfType(HandlerException.class, () -> publisher.open(relay, 0));
            assertThat(refused).isNotNull();
            return refused;
        }
    }

    @Test
    void aTimeOutThatTheBrokersDoNotAllow() {
        HandlerException refused =
                refusal(publisher().timeout(Duration.ofMinutes(30)).build(), "opening-late");
        assertThat(refused.verdict()).as(refused.getMessage()).isEqualTo(Verdict.STOP);
        assertThat(refused).hasMessageContaining("transaction.max.timeout.ms").hasMessageContaining("'timeout'");
    }

    @Test
    void namesThatKafkaDoesNotTellApart() {
        try (KafkaTransactionalPublisher first = publisher().build();
                Feed feed = first.open("opening.a_b", 0)) {
            assertThat(feed.marks()).isEmpty();
            HandlerException refused = refusal(publisher().build(), "opening.a.b");
            assertThat(refused.verdict()).as(refused.getMessage()).isEqualTo(Verdict.STOP);
            assertThat(refused).hasMessageContaining("opening.a.b").hasMessageContaining("another name");
        }
    }

    @Test
    void aTopicThatForgets() {
        broker.topics().create("baton.progress.opening-delete", 1, Map.of("cleanup.policy", "delete"));
        HandlerException refused = refusal(publisher().build(), "opening-delete");
        assertThat(refused.verdict()).isEqualTo(Verdict.STOP);
        assertThat(refused).hasMessageContaining("cleanup.policy=delete");
    }

    @Test
    void aClassThatIsMissing() {
        HandlerException refused = refusal(
                publisher()
                        .property("interceptor.classes", "org.example.Missing")
                        .build(),
                "opening-class");
        assertThat(refused.verdict()).as(refused.getMessage()).isEqualTo(Verdict.STOP);
        assertThat(refused).hasMessageContaining("org.example.Missing");
    }

    @Test
    void aBrokerThatIsAwayIsNoRefusal() {
        HandlerException away = refusal(
                KafkaTransactionalPublisher.to("127.0.0.1:9")
                        .timeout(Duration.ofSeconds(2))
                        .build(),
                "opening-away");
        assertThat(away.verdict()).isEqualTo(Verdict.OUTAGE);
        HandlerException unknown = refusal(
                KafkaTransactionalPublisher.to("no-such-host.invalid:9092")
                        .timeout(Duration.ofSeconds(2))
                        .build(),
                "opening-away");
        assertThat(unknown.verdict()).isEqualTo(Verdict.OUTAGE);
    }

    @Test
    void aClientThatLacksSomethingIsNamedWithItsVersion() {
        HandlerException refused = Clients.unusable(new NoSuchMethodError("close"));
        assertThat(refused.verdict()).isEqualTo(Verdict.STOP);
        assertThat(refused).hasMessageContaining("kafka-clients 4.").hasMessageContaining("close");
    }
}
