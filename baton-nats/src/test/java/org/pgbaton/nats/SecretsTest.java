package org.pgbaton.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.util.concurrent.CompletionStage;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
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
        StringWriter said = new StringWriter(); // several threads write
        java.util.logging.Logger client = LogManager.getLogManager().getLogger("");
        java.util.logging.Level clientBefore = client.getLevel();
        Handler listening = new Handler() {
            @Override
            public void publish(LogRecord each) {
                said.append(each.getMessage() + each.getThrown());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        client.addHandler(listening);
        client.setLevel(java.util.logging.Level.ALL);
        int port = JetStreams.server().port();
        try (Outbox outbox = new Outbox(database);
                JetStreams streams = JetStreams.open()) {
            Message message = outbox.put(Draft.json("{}").topic(streams.stream()));
            for (String uri : List.of(
                    JetStreams.server().url(),
                    "nats://baton:hush-hush-1@127.0.0.1:" + port,
                    "nats://baton:hush-hush-2@127.0.0.1:1",
                    "nats://hush-hush-4@127.0.0.1:" + port,
                    "tls://baton:hush-hush-3@127.0.0.1:" + port)) {
                try (NatsPublisher publisher =
                        NatsPublisher.to(uri).timeout(Duration.ofSeconds(2)).build()) {
                    said.append(publisher + publisher.target());
                    try {
                        publisher
                                .publish(message, Outbox.FIRST)
                                .toCompletableFuture()
                                .join();
                    } catch (RuntimeException failed) {
                        StringWriter trace = new StringWriter();
                        failed.printStackTrace(new PrintWriter(trace));
                        said.append(trace.toString());
                    }
                }
            }
        } finally {
            root.detachAppender(everything);
            root.setLevel(before);
            client.removeHandler(listening);
            client.setLevel(clientBefore);
        }
        for (ILoggingEvent each : List.copyOf(everything.list)) {
            said.append(each.getFormattedMessage()).append(ThrowableProxyUtil.asString(each.getThrowableProxy()));
        }
        assertThat(said.toString())
                .contains("refuses us")
                .doesNotContain("hush-hush")
                .doesNotContain(NatsServer.PASSWORD);
    }

    @Test
    void thePasswordIsReadFromItsFileAtEveryConnect(TestDatabase database, @TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "wrong\n");
        try (Outbox outbox = new Outbox(database);
                JetStreams streams = JetStreams.open();
                NatsPublisher publisher = NatsPublisher.to(
                                "nats://baton@127.0.0.1:" + JetStreams.server().port())
                        .passwordFile(file)
                        .build()) {
            Message message = outbox.put(Draft.json("{}").topic(streams.stream()));
            assertThat(JetStreams.failure(publisher.publish(message, Outbox.FIRST)))
                    .hasMessageContaining("refuses us");
            Files.writeString(file, NatsServer.PASSWORD + "\n");
            await("the pause before it tries again")
                    .untilAsserted(() -> JetStreams.awaitPublished(publisher.publish(message, Outbox.FIRST)));
        }
        assertThatThrownBy(() -> NatsPublisher.to("nats://h").passwordFile(folder.resolve("none")))
                .hasMessageContaining("cannot be read");
    }

    @Test
    void aTokenIsTakenFromTheUrlOrAFile(TestDatabase database, @TempDir Path folder) throws Exception {
        assumeTrue(NatsServer.isInstalled(), NatsServer.MISSING);
        Path file = Files.writeString(folder.resolve("token"), "t0ken/\n");
        try (Outbox outbox = new Outbox(database);
                NatsServer server = NatsServer.start("jetstream {}", "authorization { token: \"t0ken/\" }");
                JetStreams streams = JetStreams.open("nats://t0ken%2F@127.0.0.1:" + server.port());
                NatsPublisher inUrl = NatsPublisher.to("nats://t0ken%2F@127.0.0.1:" + server.port())
                        .build();
                NatsPublisher inFile = NatsPublisher.to("nats://127.0.0.1:" + server.port())
                        .passwordFile(file)
                        .build()) {
            Message message = outbox.put(Draft.json("{}").topic(streams.stream()));
            JetStreams.awaitPublished(inUrl.publish(message, Outbox.FIRST));
            JetStreams.awaitPublished(inFile.publish(message, Outbox.FIRST));
            assertThat(inUrl.target()).doesNotContain("t0ken");
        }
    }

    @Test
    void credentialsAreUsed(TestDatabase database, @TempDir Path folder) throws Exception {
        assumeTrue(NatsServer.isInstalled(), NatsServer.MISSING);
        TestCredentials credentials = TestCredentials.create(folder);
        try (Outbox outbox = new Outbox(database);
                NatsServer server = NatsServer.start(credentials.settings());
                NatsPublisher with = NatsPublisher.to("nats://127.0.0.1:" + server.port())
                        .credentials(credentials.file())
                        .build();
                NatsPublisher without =
                        NatsPublisher.to("nats://127.0.0.1:" + server.port()).build()) {
            Message message = outbox.put(Draft.json("{}").topic("t"));
            // Let in, but the account has no JetStream.
            assertThat(JetStreams.failure(with.publish(message, Outbox.FIRST))).hasMessageContaining("No stream");
            assertThat(JetStreams.failure(without.publish(message, Outbox.FIRST)))
                    .hasMessageContaining("refuses us");
        }
        assertThatThrownBy(() -> NatsPublisher.to("nats://h").credentials(folder.resolve("none")))
                .hasMessageContaining("cannot be read");
    }

    @Test
    void theCertificateAndItsHostNameAreChecked(TestDatabase database) throws Exception {
        assumeTrue(NatsServer.isInstalled(), NatsServer.MISSING);
        String login = "tls://baton:" + NatsServer.PASSWORD + "@";
        TestTls tls = TestTls.create();
        try (Outbox outbox = new Outbox(database);
                NatsServer server = NatsServer.start("jetstream {}", NatsServer.LOGIN, tls.setting());
                NatsPublisher trusting = NatsPublisher.to(login + "localhost:" + server.port())
                        .subject("fixed")
                        .tls(tls.context())
                        .build();
                NatsPublisher wrongName = NatsPublisher.to(login + "127.0.0.1:" + server.port())
                        .tls(tls.context())
                        .build();
                NatsPublisher stranger =
                        NatsPublisher.to(login + "localhost:" + server.port()).build();
                NatsPublisher careless =
                        NatsPublisher.to("nats://localhost:" + server.port()).build()) {
            Message message = outbox.put(Draft.json("{}").topic("t"));
            assertThat(JetStreams.failure(trusting.publish(message, Outbox.FIRST)))
                    .as("it is connected")
                    .hasMessageContaining("No stream");
            assertOutage(wrongName.publish(message, Outbox.FIRST), "No subject alternative names");
            assertOutage(stranger.publish(message, Outbox.FIRST), "unable to find valid certification path");
            assertOutage(careless.publish(message, Outbox.FIRST), "SSL required by server");
        }
        assertThatThrownBy(() -> NatsPublisher.to("nats://h").tls(tls.context()))
                .hasMessageContaining("write tls://");
    }

    private static void assertOutage(CompletionStage<?> stage, String why) throws Exception {
        HandlerException failure = JetStreams.failure(stage);
        assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
        assertThat(failure).hasMessageContaining(why);
    }
}
