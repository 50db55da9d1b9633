package org.pgbaton.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.slf4j.LoggerFactory;

/** Passwords come from where they should, go where they must, and appear nowhere else; TLS is checked. */
@BatonTest
class SecretsTest {

    @Test
    void thePasswordAppearsInNoErrorLogOrText(TestDatabase database) throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Level before = root.getLevel();
        ListAppender<ILoggingEvent> everything = new ListAppender<>();
        everything.start();
        root.addAppender(everything);
        root.setLevel(Level.TRACE);
        StringBuilder said = new StringBuilder();
        int port = Rabbit.server().port();
        try (Outbox outbox = new Outbox(database);
                Rabbit rabbit = Rabbit.open()) {
            Message message = outbox.put(Draft.json("{}").topic(rabbit.queue()));
            for (String uri : List.of(
                    Rabbit.server().uri(),
                    "amqp://baton:hush-hush-1@127.0.0.1:" + port,
                    "amqp://baton:hush-hush-2@127.0.0.1:1",
                    "amqp://baton:" + RabbitServer.PASSWORD + "@127.0.0.1:" + port + "/nowhere",
                    "amqps://baton:hush-hush-3@127.0.0.1:" + port)) {
                try (RabbitPublisher publisher =
                        RabbitPublisher.to(uri).timeout(Duration.ofSeconds(2)).build()) {
                    said.append(publisher).append(publisher.target());
                    try {
                        publisher
                                .publish(message, Outbox.FIRST)
                                .toCompletableFuture()
                                .join();
                    } catch (RuntimeException failed) {
                        StringWriter trace = new StringWriter();
                        failed.printStackTrace(new PrintWriter(trace));
                        said.append(trace);
                    }
                }
            }
        } finally {
            root.detachAppender(everything);
            root.setLevel(before);
        }
        for (ILoggingEvent each : List.copyOf(everything.list)) {
            said.append(each.getFormattedMessage()).append(ThrowableProxyUtil.asString(each.getThrowableProxy()));
        }
        assertThat(said.toString())
                .contains("refuses user 'baton'")
                .doesNotContain("hush-hush")
                .doesNotContain(RabbitServer.PASSWORD);
    }

    @Test
    void thePasswordIsReadFromItsFileAtEveryConnect(TestDatabase database, @TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "wrong\n");
        try (Outbox outbox = new Outbox(database);
                Rabbit rabbit = Rabbit.open();
                RabbitPublisher publisher = RabbitPublisher.to(
                                "amqp://baton@127.0.0.1:" + Rabbit.server().port())
                        .passwordFile(file)
                        .build()) {
            Message message = outbox.put(Draft.json("{}").topic(rabbit.queue()));
            assertThat(Rabbit.failure(publisher.publish(message, Outbox.FIRST))).hasMessageContaining("refuses user");
            Files.writeString(file, RabbitServer.PASSWORD + "\n");
            await("the pause before it tries again")
                    .untilAsserted(() -> Rabbit.awaitPublished(publisher.publish(message, Outbox.FIRST)));
        }
        assertThatThrownBy(() -> RabbitPublisher.to("amqp://h").passwordFile(folder.resolve("none")))
                .hasMessageContaining("cannot be read");
    }

    @Test
    void theCertificateAndItsHostNameAreChecked(TestDatabase database) throws Exception {
        String login = "amqps://baton:" + RabbitServer.PASSWORD + "@";
        try (Outbox outbox = new Outbox(database);
                Rabbit rabbit = Rabbit.open()) {
            int port = Rabbit.tls().port();
            Message message = outbox.put(Draft.json("{}").topic(rabbit.queue()));
            try (RabbitPublisher trusting = RabbitPublisher.to(login + "localhost:" + port)
                    .tls(Rabbit.tls().context())
                    .build()) {
                Rabbit.awaitPublished(trusting.publish(message, Outbox.FIRST));
            }
            try (RabbitPublisher wrongName = RabbitPublisher.to(login + "127.0.0.1:" + port)
                    .tls(Rabbit.tls().context())
                    .build()) {
                HandlerException failure = Rabbit.failure(wrongName.publish(message, Outbox.FIRST));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining("No subject alternative names");
            }
            try (RabbitPublisher stranger =
                    RabbitPublisher.to(login + "localhost:" + port).build()) {
                HandlerException failure = Rabbit.failure(stranger.publish(message, Outbox.FIRST));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining("unable to find valid certification path");
            }
        }
        assertThatThrownBy(() -> RabbitPublisher.to("amqp://h").tls(Rabbit.tls().context()))
                .hasMessageContaining("write amqps://");
    }
}
