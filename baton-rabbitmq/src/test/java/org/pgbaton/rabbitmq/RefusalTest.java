package org.pgbaton.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.publisher.LoggedMessages;
import org.pgbaton.testkit.publisher.Outcome;
import org.pgbaton.testkit.publisher.Wire;

/** Messages that RabbitMQ does not take: each gets its verdict and its sentence, and disturbs no other message. */
@BatonTest
class RefusalTest {
    private Rabbit rabbit;
    private LoggedMessages outbox;

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        rabbit = Rabbit.open();
        outbox = new LoggedMessages(database);
    }

    @AfterEach
    void close() {
        if (outbox != null) {
            outbox.close();
            rabbit.close();
        }
    }

    private static RabbitPublisher.Builder publisher() {
        return RabbitPublisher.to(Rabbit.server().uri()).timeout(Duration.ofSeconds(5));
    }

    private Message to(String topic) {
        return outbox.put(Draft.json("{}").topic(topic));
    }

    @Test
    void aMessageThatNoQueueWantsIsTriedAgainAndTheOthersArePublished() throws Exception {
        try (RabbitPublisher publisher = publisher().build()) {
            String queue = rabbit.queue();
            List<CompletionStage<?>> published = new ArrayList<>();
            List<CompletionStage<?>> unroutable = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                published.add(publisher.publish(to(queue), LoggedMessages.FIRST));
                unroutable.add(publisher.publish(to("nowhere"), LoggedMessages.FIRST));
            }
            for (CompletionStage<?> each : published) {
                Outcome.awaitPublished(each);
            }
            for (CompletionStage<?> each : unroutable) {
                HandlerException failure = Outcome.failure(each);
                assertThat(failure.verdict()).isEqualTo(Verdict.RETRY);
                assertThat(failure)
                        .hasMessageContaining("no queue for message")
                        .hasMessageContaining("NO_ROUTE")
                        .hasMessageContaining("the default exchange with routing key 'nowhere'");
            }
            assertThat(rabbit.drain(queue)).hasSize(20);
        }
    }

    @Test
    void aMessageThatNoQueueWantsIsPublishedIfSomebodyAskedForThat() throws Exception {
        try (RabbitPublisher publisher = publisher().mandatory(false).build()) {
            Outcome.awaitPublished(publisher.publish(to("nowhere"), LoggedMessages.FIRST));
        }
    }

    @Test
    void aMessageThatChoosesANameOfRabbitMqItselfIsParked() throws Exception {
        String waiting = rabbit.channel().queueDeclare().getQueue(); // amq.gen-…
        try (RabbitPublisher toQueues = publisher().build();
                RabbitPublisher toExchanges =
                        publisher().exchange("{topic}").routingKey("x").build();
                RabbitPublisher configured =
                        publisher().exchange("amq.direct").mandatory(false).build()) {
            for (CheckedPublisher each :
                    List.of(new CheckedPublisher(toQueues, waiting), new CheckedPublisher(toExchanges, "amq.topic"))) {
                assertThatThrownBy(() -> each.publisher().publish(to(each.topic()), LoggedMessages.FIRST))
                        .isInstanceOfSatisfying(
                                HandlerException.class,
                                refused -> assertThat(refused.verdict()).isEqualTo(Verdict.PARK))
                        .hasMessageContaining("may not choose");
            }
            Outcome.awaitPublished(configured.publish(to("amq.x"), LoggedMessages.FIRST));
        }
        assertThat(rabbit.channel().messageCount(waiting)).isZero();
    }

    private record CheckedPublisher(RabbitPublisher publisher, String topic) {}

    @Test
    void aHeaderThatRoutesCopiesIsLeftOut() throws Exception {
        String queue = rabbit.queue();
        String other = rabbit.queue();
        try (RabbitPublisher publisher = publisher().build()) {
            Outcome.awaitPublished(publisher.publish(
                    outbox.put(Draft.json("{}").topic(queue).headers(Map.of("CC", other, "BCC", other))),
                    LoggedMessages.FIRST));
            Outcome.awaitPublished(publisher.publish(to(queue), LoggedMessages.FIRST));
        }
        assertThat(rabbit.drain(queue)).hasSize(2);
        assertThat(rabbit.drain(other)).isEmpty();
    }

    @Test
    void aMissingExchangeIsAnOutageAndEndsWhenItIsDeclared() throws Exception {
        try (RabbitPublisher publisher =
                publisher().exchange("late").routingKey("").build()) {
            HandlerException failure = Outcome.failure(publisher.publish(to("t"), LoggedMessages.FIRST));
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("no exchange 'late'");

            String queue = rabbit.queue();
            rabbit.channel().exchangeDeclare("late", "fanout");
            rabbit.channel().queueBind(queue, "late", "");
            Outcome.awaitPublished(publisher.publish(to("t"), LoggedMessages.FIRST));
            assertThat(rabbit.drain(queue)).hasSize(1);
            rabbit.channel().exchangeDelete("late");
        }
    }

    @Test
    void amongManyExchangesAMissingOneConcernsItsOwnMessagesOnly() throws Exception {
        rabbit.channel().exchangeDeclare("there", "fanout");
        String queue = rabbit.queue();
        rabbit.channel().queueBind(queue, "there", "");
        try (RabbitPublisher publisher = publisher().exchange("{topic}").build()) {
            List<Message> messages = outbox.put(IntStream.range(0, 40)
                    .mapToObj(i -> Draft.json("{}").topic(i == 20 ? "missing" : "there"))
                    .toList());
            assertThat(untilNoOutage(publisher, messages)).isEqualTo(Map.of(messages.get(20), Verdict.RETRY));
            assertThat(Rabbit.ids(rabbit.drain(queue)))
                    .containsAll(messages.stream()
                            .filter(each -> each != messages.get(20))
                            .map(each -> each.id().toString())
                            .toList());
            // It is a suspect by now, so it is sent when nothing else is in flight, and disturbs no other message.
            CompletionStage<?> before = publisher.publish(messages.get(0), LoggedMessages.FIRST);
            CompletionStage<?> missing = publisher.publish(to("missing"), LoggedMessages.FIRST);
            CompletionStage<?> after = publisher.publish(messages.get(1), LoggedMessages.FIRST);
            Outcome.awaitPublished(before);
            Outcome.awaitPublished(after);
            assertThat(Outcome.failure(missing).verdict()).isEqualTo(Verdict.RETRY);
        }
        rabbit.channel().exchangeDelete("there");
    }

    @Test
    void aMessageTooLargeIsParkedAndTheOthersInFlightAreNot() throws Exception {
        try (RabbitPublisher publisher = publisher().build()) {
            String queue = rabbit.queue();
            HandlerException alone =
                    Outcome.failure(publisher.publish(outbox.put(tooLarge(queue)), LoggedMessages.FIRST));
            assertThat(alone.verdict()).isEqualTo(Verdict.PARK);
            assertThat(alone).hasMessageContaining("message size 1000001 is larger than configured max size 1000000");

            Outcome.awaitPublished(publisher.publish(to(queue), LoggedMessages.FIRST));
            List<Message> messages = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                messages.add(i == 20 ? outbox.put(tooLarge(queue)) : to(queue));
            }
            assertThat(untilNoOutage(publisher, messages)).isEqualTo(Map.of(messages.get(20), Verdict.PARK));
        }
    }

    private static Draft tooLarge(String queue) {
        return Draft.bytes(new byte[1_000_001]).topic(queue);
    }

    /** Sends messages again that met an outage, as a relay does. */
    private static Map<Message, Verdict> untilNoOutage(RabbitPublisher publisher, List<Message> messages)
            throws Exception {
        Map<Message, Verdict> failures = new HashMap<>();
        List<Message> left = messages;
        for (int round = 0; !left.isEmpty(); round++) {
            assertThat(round).isLessThan(10);
            List<CompletionStage<?>> stages = new ArrayList<>();
            for (Message each : left) {
                stages.add(publisher.publish(each, LoggedMessages.FIRST));
            }
            List<Message> again = new ArrayList<>();
            for (int i = 0; i < left.size(); i++) {
                try {
                    Outcome.awaitPublished(stages.get(i));
                } catch (java.util.concurrent.ExecutionException failed) {
                    Verdict verdict = Outcome.failure(stages.get(i)).verdict();
                    if (verdict == Verdict.OUTAGE) {
                        again.add(left.get(i));
                    } else {
                        failures.put(left.get(i), verdict);
                    }
                }
            }
            left = again;
        }
        return failures;
    }

    @Test
    void aFullQueueIsTriedAgain() throws Exception {
        try (RabbitPublisher publisher = publisher().build()) {
            String queue = rabbit.queue(Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
            Outcome.awaitPublished(publisher.publish(to(queue), LoggedMessages.FIRST));
            HandlerException failure = Outcome.failure(publisher.publish(to(queue), LoggedMessages.FIRST));
            assertThat(failure.verdict()).isEqualTo(Verdict.RETRY);
            assertThat(failure).hasMessageContaining("is full");
            rabbit.drain(queue);
            Outcome.awaitPublished(publisher.publish(to(queue), LoggedMessages.FIRST));
        }
    }

    @Test
    void whatAmqpCannotCarryIsParkedAndNothingElseNotices() throws Exception {
        try (RabbitPublisher publisher = publisher().build()) {
            String queue = rabbit.queue();
            CompletionStage<?> before = publisher.publish(to(queue), LoggedMessages.FIRST);
            assertThatThrownBy(() -> publisher.publish(outbox.put(Draft.json("{}")), LoggedMessages.FIRST))
                    .isInstanceOfSatisfying(
                            HandlerException.class, e -> assertThat(e.verdict()).isEqualTo(Verdict.PARK))
                    .hasMessageContaining("has no topic");
            assertThatThrownBy(() -> publisher.publish(to("t".repeat(256)), LoggedMessages.FIRST))
                    .hasMessageContaining("A routing key")
                    .hasMessageContaining("256 bytes");
            assertThatThrownBy(() -> publisher.publish(
                            outbox.put(Draft.json("{}").topic(queue).headers(Map.of("n".repeat(256), ""))),
                            LoggedMessages.FIRST))
                    .hasMessageContaining("header's name");
            Message heavy = outbox.put(Draft.json("{}").topic(queue).headers(Map.of("h", "v".repeat(140_000))));
            HandlerException failure = Outcome.failure(publisher.publish(heavy, LoggedMessages.FIRST));
            assertThat(failure.verdict()).isEqualTo(Verdict.PARK);
            assertThat(failure).hasMessageContaining("131072 bytes of a frame");
            Message largest = outbox.put(
                    Draft.json("{}").topic(queue).type("t".repeat(300)).headers(Map.of("h", "v".repeat(128_000))));
            Outcome.awaitPublished(publisher.publish(largest, LoggedMessages.FIRST));
            Outcome.awaitPublished(before);
            assertThat(rabbit.drain(queue)).hasSize(2);
        }
    }

    @Test
    void aQueueThatHangsHoldsUpOnlyWhatIsMeantForIt() throws Exception {
        String stuck = rabbit.queue();
        String queue = rabbit.queue();
        RabbitServer server = Rabbit.server();
        server.control("eval", "sys:suspend(" + processOf(stuck) + ").");
        try (Wire wire = new Wire(server.port());
                RabbitPublisher publisher = RabbitPublisher.to(
                                server.uri().replace(":" + server.port(), ":" + wire.port()))
                        .timeout(Duration.ofSeconds(1))
                        .build()) {
            Outcome.awaitPublished(publisher.publish(to(queue), LoggedMessages.FIRST));
            CompletionStage<?> hanging = publisher.publish(to(stuck), LoggedMessages.FIRST);
            while (!hanging.toCompletableFuture().isDone()) {
                Outcome.awaitPublished(publisher.publish(to(queue), LoggedMessages.FIRST));
            }
            HandlerException failure = Outcome.failure(hanging);
            assertThat(failure.verdict()).isEqualTo(Verdict.RETRY);
            assertThat(failure).hasMessageContaining("did not confirm message").hasMessageContaining("within 1.0 s");
            Outcome.awaitPublished(publisher.publish(to(queue), LoggedMessages.FIRST));
            assertThat(wire.connections()).as("the connection was replaced").isEqualTo(2);
        } finally {
            server.control("eval", "sys:resume(" + processOf(stuck) + ").");
        }
    }

    private static String processOf(String queue) {
        return "amqqueue:get_pid(element(2, rabbit_amqqueue:lookup(rabbit_misc:r(<<\"/\">>, queue, <<\"" + queue
                + "\">>))))";
    }

    @Test
    void aUserWithoutRightsIsAnOutage() throws Exception {
        RabbitServer server = Rabbit.server();
        String queue = rabbit.queue();
        server.control("add_user", "poor", "poor-password");
        server.control("set_permissions", "-p", "/", "poor", "", "", "");
        try (RabbitPublisher publisher = RabbitPublisher.to("amqp://poor:poor-password@127.0.0.1:" + server.port())
                .build()) {
            HandlerException failure = Outcome.failure(publisher.publish(to(queue), LoggedMessages.FIRST));
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("ACCESS_REFUSED").hasMessageContaining("user 'poor'");
            server.control("set_permissions", "-p", "/", "poor", "", ".*", "");
            Outcome.awaitPublished(publisher.publish(to(queue), LoggedMessages.FIRST));
        } finally {
            server.control("delete_user", "poor");
        }
    }

    @Test
    void whoCannotConnectMeetsAnOutageThatSaysWhy() throws Exception {
        int port = Rabbit.server().port();
        Map<String, String> reasons = Map.of(
                "amqp://baton:wrong@127.0.0.1:" + port,
                "refuses user 'baton': check the user and its password",
                Rabbit.server().uri() + "/nothing",
                "vhost nothing not found",
                "amqp://baton:x@127.0.0.1:1",
                "Connection refused");
        for (Map.Entry<String, String> each : reasons.entrySet()) {
            try (RabbitPublisher publisher = RabbitPublisher.to(each.getKey()).build()) {
                HandlerException failure = Outcome.failure(publisher.publish(to("t"), LoggedMessages.FIRST));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining(each.getValue());
            }
        }
    }
}
