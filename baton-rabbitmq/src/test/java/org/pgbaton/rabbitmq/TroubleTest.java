package org.pgbaton.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.publisher.BrokerPublisherContract;
import org.pgbaton.testkit.publisher.LoggedMessages;
import org.pgbaton.testkit.publisher.Outcome;
import org.pgbaton.testkit.publisher.PublisherContract.Arrived;
import org.pgbaton.testkit.publisher.Wire;

/**
 * RabbitMQ dies, freezes and blocks; the network breaks and stalls. A message counts as published only if it is there,
 * and the publisher recovers by itself.
 */
class TroubleTest extends BrokerPublisherContract {
    private final SharedRabbit rabbit = new SharedRabbit();

    @Override
    protected TestBroker broker() {
        Rabbit.server(); // skips the test if there is none
        return rabbit;
    }

    @Test
    void aStalledConnectionWithTlsFailsInTimeAndPublishNeverWaits() throws Exception {
        try (Wire wire = new Wire(Rabbit.tlsPort());
                RabbitPublisher publisher = RabbitPublisher.to(
                                "amqps://baton:" + RabbitServer.PASSWORD + "@localhost:" + wire.port())
                        .tls(Rabbit.trusting())
                        .timeout(Duration.ofSeconds(3))
                        .build()) {
            stalls(wire, publisher);
        }
    }

    @Test
    void aBlockedRabbitMqIsAnOutageAndOnlyTheFirstMessageIsLeftInItsBuffers() throws Exception {
        String queue = rabbit.topic();
        Message first = message(queue);
        List<Message> others = messages(20, queue);
        block();
        try (Publisher publisher = rabbit.publisher(rabbit.server().port(), Duration.ofSeconds(2))) {
            List<CompletionStage<?>> stages = new ArrayList<>();
            stages.add(publisher.publish(first, LoggedMessages.FIRST));
            for (Message each : others) {
                stages.add(publisher.publish(each, LoggedMessages.FIRST));
            }
            for (CompletionStage<?> each : stages) {
                HandlerException failure = Outcome.failure(each, Duration.ofSeconds(5));
                assertThat(failure).hasMessageContaining("blocks publishers: low on memory");
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            }
            unblock();
            await().atMost(Duration.ofSeconds(20)).until(() -> isPublished(publisher, message(queue)));
            assertThat(rabbit.read(queue))
                    .extracting(Arrived::id)
                    .doesNotContainAnyElementsOf(
                            others.stream().map(Message::id).toList());
        } finally {
            unblock();
        }
    }

    @Test
    void aShortBlockIsWaitedForAndNothingIsSentIntoIt() throws Exception {
        String queue = rabbit.topic();
        try (Wire wire = new Wire(rabbit.server().port());
                Publisher publisher = rabbit.publisher(wire.port(), Duration.ofSeconds(15))) {
            Outcome.awaitPublished(publisher.publish(message(queue), LoggedMessages.FIRST));
            block();
            List<CompletionStage<?>> stages = new ArrayList<>();
            long said = wire.carriedBack();
            stages.add(publisher.publish(message(queue), LoggedMessages.FIRST));
            await("until RabbitMQ has said that it is blocked").until(() -> wire.carriedBack() > said);
            long before = wire.carriedThere();
            for (Message each : messages(20, queue)) {
                stages.add(publisher.publish(each, LoggedMessages.FIRST));
            }
            await().during(Duration.ofMillis(200)).untilAsserted(() -> {
                assertThat(stages).noneMatch(each -> each.toCompletableFuture().isDone());
                assertThat(wire.carriedThere() - before).isLessThan(1000);
            });
            unblock();
            for (CompletionStage<?> each : stages) {
                Outcome.awaitPublished(each);
            }
            assertThat(rabbit.read(queue)).hasSize(22);
        } finally {
            unblock();
        }
    }

    private static void block() {
        Rabbit.server().control("set_vm_memory_high_watermark", "0.0001");
    }

    private static void unblock() {
        Rabbit.server().control("set_vm_memory_high_watermark", "absolute", "2GB");
    }
}
