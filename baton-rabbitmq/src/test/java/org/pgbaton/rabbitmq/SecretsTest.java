package org.pgbaton.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.EverythingSaid;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.publisher.LoggedMessages;
import org.pgbaton.testkit.publisher.Outcome;

/** Passwords are read from the right place, go to the server only, and appear nowhere else. TLS is checked. */
@BatonTest
class SecretsTest {

    @Test
    void thePasswordAppearsInNoErrorLogOrText(TestDatabase database) throws Exception {
        String here = "@127.0.0.1:" + Rabbit.server().port();
        List<String> uris = List.of(
                Rabbit.server().uri(),
                "amqp://baton:hush-hush-1" + here,
                "amqp://baton:hush-hush-2@127.0.0.1:1",
                "amqp://baton:" + RabbitServer.PASSWORD + here + "/nowhere",
                "amqps://baton:hush-hush-3" + here);
        EverythingSaid said = new EverythingSaid();
        try (said;
                LoggedMessages messages = new LoggedMessages(database);
                Rabbit rabbit = Rabbit.open()) {
            Message message = messages.put(Draft.json("{}").topic(rabbit.queue()));
            for (String uri : uris) {
                try (RabbitPublisher publisher =
                        RabbitPublisher.to(uri).timeout(Duration.ofSeconds(2)).build()) {
                    said.publish(publisher, message);
                }
            }
        }
        assertThat(said.toString()).contains("refuses user 'baton'").doesNotContain("hush-hush", RabbitServer.PASSWORD);
    }

    @Test
    void theCertificateAndItsHostNameAreChecked(TestDatabase database) throws Exception {
        String login = "amqps://baton:" + RabbitServer.PASSWORD + "@";
        try (LoggedMessages outbox = new LoggedMessages(database);
                Rabbit rabbit = Rabbit.open()) {
            int port = Rabbit.tlsPort();
            Message message = outbox.put(Draft.json("{}").topic(rabbit.queue()));
            try (RabbitPublisher trusting = RabbitPublisher.to(login + "localhost:" + port)
                    .tls(Rabbit.trusting())
                    .build()) {
                Outcome.awaitPublished(trusting.publish(message, LoggedMessages.FIRST));
            }
            try (RabbitPublisher wrongName = RabbitPublisher.to(login + "127.0.0.1:" + port)
                    .tls(Rabbit.trusting())
                    .build()) {
                HandlerException failure = Outcome.failure(wrongName.publish(message, LoggedMessages.FIRST));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining("No subject alternative names");
            }
            try (RabbitPublisher stranger =
                    RabbitPublisher.to(login + "localhost:" + port).build()) {
                HandlerException failure = Outcome.failure(stranger.publish(message, LoggedMessages.FIRST));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining("unable to find valid certification path");
            }
        }
        assertThatThrownBy(() -> RabbitPublisher.to("amqp://h").tls(Rabbit.trusting()))
                .hasMessageContaining("write amqps://");
    }
}
