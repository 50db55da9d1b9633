package org.pgbaton.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.api.DiscardPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.publisher.LoggedMessages;
import org.pgbaton.testkit.publisher.Outcome;
import org.pgbaton.testkit.publisher.Wire;

/** Messages that NATS does not take: each gets its verdict and its sentence, and disturbs no other message. */
@BatonTest
class RefusalTest {
    private JetStreams streams;
    private LoggedMessages outbox;

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        streams = JetStreams.open();
        outbox = new LoggedMessages(database);
    }

    @AfterEach
    void close() {
        if (outbox != null) {
            outbox.close();
            streams.close();
        }
    }

    private static NatsPublisher.Builder publisher() {
        return NatsPublisher.to(JetStreams.server().url()).timeout(Duration.ofSeconds(5));
    }

    private Message to(String topic) {
        return outbox.put(Draft.json("{}").topic(topic));
    }

    @Test
    void amongManySubjectsOneWithoutAStreamConcernsItsOwnMessagesOnly() throws Exception {
        try (NatsPublisher publisher = publisher().build()) {
            String stream = streams.stream();
            List<CompletionStage<?>> published = new ArrayList<>();
            List<CompletionStage<?>> homeless = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                published.add(publisher.publish(to(stream), LoggedMessages.FIRST));
                homeless.add(publisher.publish(to("nowhere.\"quoted\\"), LoggedMessages.FIRST));
            }
            for (CompletionStage<?> each : published) {
                Outcome.awaitPublished(each);
            }
            for (CompletionStage<?> each : homeless) {
                HandlerException failure = Outcome.failure(each);
                assertThat(failure.verdict()).isEqualTo(Verdict.RETRY);
                assertThat(failure).hasMessageContaining("No stream").hasMessageContaining("keeps subject 'nowhere.");
            }
            assertThat(streams.count(stream)).isEqualTo(20);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"$JS.API.STREAM.PURGE.%s", "$JS.API.STREAM.DELETE.%s", "$SYS.REQ.x.%s", "_INBOX.a.%s", "$KV.%s"})
    void aMessageThatChoosesASubjectOfNatsItselfIsParkedAndNothingHappens(String subject) throws Exception {
        String stream = streams.stream();
        try (NatsPublisher publisher = publisher().build()) {
            Outcome.awaitPublished(publisher.publish(to(stream), LoggedMessages.FIRST));
            assertThatThrownBy(() -> publisher.publish(to(subject.formatted(stream)), LoggedMessages.FIRST))
                    .isInstanceOfSatisfying(
                            HandlerException.class,
                            refused -> assertThat(refused.verdict()).isEqualTo(Verdict.PARK))
                    .hasMessageContaining("may not choose");
            Outcome.awaitPublished(publisher.publish(to(stream), LoggedMessages.FIRST));
            assertThat(streams.count(stream)).isEqualTo(2);
        }
        assertThatThrownBy(() -> publisher().subject("$JS.API.{topic}").build()).hasMessageContaining("obeys");
        publisher().subject("$KV.bucket.{key}").build().close();
    }

    @Test
    void aMissingStreamForTheOnlySubjectIsAnOutageAndEndsWhenItIsCreated() throws Exception {
        try (NatsPublisher publisher = publisher().subject("late.one").build()) {
            HandlerException failure = Outcome.failure(publisher.publish(to("t"), LoggedMessages.FIRST));
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("No stream").hasMessageContaining("'late.one'");
            streams.add("late", "late.>");
            Outcome.awaitPublished(publisher.publish(to("t"), LoggedMessages.FIRST));
            streams.delete("late");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"one.subject", "{topic}"})
    void aServerWithoutJetStreamIsAnOutage(String subject) throws Exception {
        try (NatsServer plain = NatsServer.start(NatsServer.LOGIN);
                NatsPublisher publisher =
                        NatsPublisher.to(plain.url()).subject(subject).build()) {
            HandlerException failure = Outcome.failure(publisher.publish(to("t"), LoggedMessages.FIRST));
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("see why JetStream is not there");
        }
    }

    @Test
    void aMessageTooLargeForTheServerIsParkedAndTheConnectionStays() throws Exception {
        try (Wire wire = new Wire(JetStreams.server().port());
                NatsPublisher publisher = NatsPublisher.to(JetStreams.server()
                                .url()
                                .replace(":" + JetStreams.server().port(), ":" + wire.port()))
                        .build()) {
            String stream = streams.stream();
            CompletionStage<?> before = publisher.publish(to(stream), LoggedMessages.FIRST);
            for (Draft each : List.of(
                    Draft.bytes(new byte[200_001]),
                    Draft.bytes(new byte[199_900]),
                    Draft.json("{}").headers(Map.of("h", "v".repeat(200_000))))) {
                HandlerException failure =
                        Outcome.failure(publisher.publish(outbox.put(each.topic(stream)), LoggedMessages.FIRST));
                assertThat(failure.verdict()).isEqualTo(Verdict.PARK);
                assertThat(failure).hasMessageContaining("takes 200000 (max_payload)");
            }
            Outcome.awaitPublished(before);
            Outcome.awaitPublished(
                    publisher.publish(outbox.put(Draft.bytes(new byte[199_000]).topic(stream)), LoggedMessages.FIRST));
            assertThat(wire.connections()).isEqualTo(1);
        }
    }

    @Test
    void aMessageTooLargeForTheStreamIsParked() throws Exception {
        try (NatsPublisher publisher = publisher().build()) {
            String stream = streams.stream(settings -> settings.maximumMessageSize(1000));
            HandlerException failure = Outcome.failure(
                    publisher.publish(outbox.put(Draft.bytes(new byte[2000]).topic(stream)), LoggedMessages.FIRST));
            assertThat(failure.verdict()).isEqualTo(Verdict.PARK);
            assertThat(failure).hasMessageContaining("message size exceeds maximum allowed");
            Outcome.awaitPublished(publisher.publish(to(stream), LoggedMessages.FIRST));
        }
    }

    @Test
    void aFullStreamIsTriedAgain() throws Exception {
        try (NatsPublisher publisher = publisher().build()) {
            String stream = streams.stream(settings -> settings.maxMessages(1).discardPolicy(DiscardPolicy.New));
            Outcome.awaitPublished(publisher.publish(to(stream), LoggedMessages.FIRST));
            HandlerException failure = Outcome.failure(publisher.publish(to(stream), LoggedMessages.FIRST));
            assertThat(failure.verdict()).isEqualTo(Verdict.RETRY);
            assertThat(failure).hasMessageContaining("maximum messages exceeded");
        }
    }

    @Test
    void whatNatsCannotCarryIsParked() throws Exception {
        try (NatsPublisher publisher = publisher().build()) {
            assertThatThrownBy(() -> publisher.publish(outbox.put(Draft.json("{}")), LoggedMessages.FIRST))
                    .isInstanceOfSatisfying(
                            HandlerException.class, e -> assertThat(e.verdict()).isEqualTo(Verdict.PARK))
                    .hasMessageContaining("has no topic");
            for (String topic : List.of("", "a..b", ".a", "a.", "a b", "a.*", "a.>", "a\tb", "a\r\nPUB x 0\r\n")) {
                assertThatThrownBy(() -> publisher.publish(to(topic), LoggedMessages.FIRST))
                        .isInstanceOfSatisfying(
                                HandlerException.class,
                                e -> assertThat(e.verdict()).isEqualTo(Verdict.PARK))
                        .hasMessageContaining("words with dots between them");
            }
            for (String name : List.of("a b", "a:b", "ü", "a\r\nb")) {
                assertThatThrownBy(() -> publisher.publish(
                                outbox.put(Draft.json("{}").topic("t").headers(Map.of(name, "x"))),
                                LoggedMessages.FIRST))
                        .hasMessageContaining("a name that NATS cannot carry");
            }
        }
    }

    @Test
    void aForbiddenSubjectIsNamedAtOnce() throws Exception {
        String users = """
                authorization { users = [
                  { user: baton, password: "sEcr3t-nats" }
                  { user: poor, password: poor, permissions: { publish: [ "open", "$JS.API.>" ], subscribe: ">" } }
                  { user: deaf, password: deaf, permissions: { publish: ">", subscribe: "nothing" } }
                ] }""";
        try (NatsServer server = NatsServer.start("jetstream {}", users);
                JetStreams here = JetStreams.open(server.url())) {
            here.add("all", "open", "closed");
            try (NatsPublisher poor = NatsPublisher.to("nats://poor:poor@127.0.0.1:" + server.port())
                    .build()) {
                CompletionStage<?> open = poor.publish(to("open"), LoggedMessages.FIRST);
                HandlerException failure =
                        Outcome.failure(poor.publish(to("closed"), LoggedMessages.FIRST), Duration.ofSeconds(5));
                assertThat(failure.verdict()).isEqualTo(Verdict.RETRY);
                assertThat(failure).hasMessageContaining("Permissions Violation for Publish to \"closed\"");
                Outcome.awaitPublished(open);
            }
            try (NatsPublisher deaf = NatsPublisher.to("nats://deaf:deaf@127.0.0.1:" + server.port())
                    .build()) {
                HandlerException failure =
                        Outcome.failure(deaf.publish(to("open"), LoggedMessages.FIRST), Duration.ofSeconds(5));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining("Permissions Violation for Subscription");
            }
        }
    }

    @Test
    void whoCannotConnectMeetsAnOutageThatSaysWhy() throws Exception {
        int port = JetStreams.server().port();
        Map<String, String> reasons = Map.of(
                "nats://baton:wrong@127.0.0.1:" + port,
                "refuses us: Authorization Violation; check user and password",
                "nats://127.0.0.1:" + port,
                "refuses us",
                "tls://baton:x@127.0.0.1:" + port,
                "SSL connection wanted by client",
                "nats://baton:x@127.0.0.1:1",
                "127.0.0.1:1: Connection refused");
        for (Map.Entry<String, String> each : reasons.entrySet()) {
            try (NatsPublisher publisher = NatsPublisher.to(each.getKey()).build()) {
                HandlerException failure = Outcome.failure(publisher.publish(to("t"), LoggedMessages.FIRST));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining(each.getValue());
            }
        }
    }

    @Test
    void aSubjectWhoseListenerKeepsSilentHoldsUpNobodyElse() throws Exception {
        NatsServer server = JetStreams.server();
        String stream = streams.stream();
        try (Wire wire = new Wire(server.port());
                NatsPublisher publisher = NatsPublisher.to(server.url().replace(":" + server.port(), ":" + wire.port()))
                        .timeout(Duration.ofSeconds(1))
                        .build()) {
            streams.connection().subscribe("silent");
            streams.connection().flush(Duration.ofSeconds(5));
            Outcome.awaitPublished(publisher.publish(to(stream), LoggedMessages.FIRST));
            CompletionStage<?> unanswered = publisher.publish(to("silent"), LoggedMessages.FIRST);
            while (!unanswered.toCompletableFuture().isDone()) {
                Outcome.awaitPublished(publisher.publish(to(stream), LoggedMessages.FIRST));
            }
            HandlerException failure = Outcome.failure(unanswered);
            assertThat(failure.verdict()).isEqualTo(Verdict.RETRY);
            assertThat(failure)
                    .hasMessageContaining("did not acknowledge message")
                    .hasMessageContaining("within 1.0 s");
            Outcome.awaitPublished(publisher.publish(to(stream), LoggedMessages.FIRST));
            assertThat(wire.connections()).as("the connection was replaced").isEqualTo(2);
        }
    }

    @Test
    void anAnswerOfSomebodyOtherThanAStreamIsNoAcknowledgement() throws Exception {
        Connection service = streams.connection();
        try (NatsPublisher publisher = publisher().build()) {
            Dispatcher answering = service.createDispatcher(
                    each -> service.publish(each.getReplyTo(), "{\"thanks\": true}".getBytes(StandardCharsets.UTF_8)));
            answering.subscribe("service");
            service.flush(Duration.ofSeconds(5));
            HandlerException failure = Outcome.failure(publisher.publish(to("service"), LoggedMessages.FIRST));
            assertThat(failure.verdict()).isEqualTo(Verdict.RETRY);
            assertThat(failure).hasMessageContaining("Somebody other than a stream answered");
        }
    }

    @Test
    void theFirstServerThatAnswersIsTaken() throws Exception {
        String stream = streams.stream();
        try (NatsPublisher publisher = NatsPublisher.to("nats://baton:" + NatsServer.PASSWORD
                        + "@127.0.0.1:1,127.0.0.1:" + JetStreams.server().port())
                .build()) {
            Outcome.awaitPublished(publisher.publish(to(stream), LoggedMessages.FIRST));
        }
    }
}
