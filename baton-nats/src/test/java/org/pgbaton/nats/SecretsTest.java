package org.pgbaton.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.EverythingSaid;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.publisher.LoggedMessages;
import org.pgbaton.testkit.publisher.Outcome;
import org.pgbaton.testkit.publisher.TestCertificate;

/** Passwords are read from the right place, go to the server only, and appear nowhere else. TLS is checked. */
@BatonTest
class SecretsTest {

    @Test
    void thePasswordAppearsInNoErrorLogOrText(TestDatabase database) throws Exception {
        int port = JetStreams.server().port();
        EverythingSaid said = new EverythingSaid();
        try (said;
                LoggedMessages messages = new LoggedMessages(database);
                JetStreams streams = JetStreams.open()) {
            Message message = messages.put(Draft.json("{}").topic(streams.stream()));
            for (String url : List.of(
                    JetStreams.server().url(),
                    "nats://baton:hush-hush-1@127.0.0.1:" + port,
                    "nats://baton:hush-hush-2@127.0.0.1:1",
                    "nats://hush-hush-4@127.0.0.1:" + port,
                    "tls://baton:hush-hush-3@127.0.0.1:" + port)) {
                try (NatsPublisher publisher =
                        NatsPublisher.to(url).timeout(Duration.ofSeconds(2)).build()) {
                    said.publish(publisher, message);
                }
            }
        }
        assertThat(said.toString()).contains("refuses us").doesNotContain("hush-hush", NatsServer.PASSWORD);
    }

    @Test
    void aTokenIsTakenFromTheUrlOrAFile(TestDatabase database, @TempDir Path folder) throws Exception {
        assumeTrue(NatsServer.isInstalled(), NatsServer.MISSING);
        Path file = Files.writeString(folder.resolve("token"), "t0ken/\n");
        try (LoggedMessages outbox = new LoggedMessages(database);
                NatsServer server = NatsServer.start("jetstream {}", "authorization { token: \"t0ken/\" }");
                JetStreams streams = JetStreams.open("nats://t0ken%2F@127.0.0.1:" + server.port());
                NatsPublisher inUrl = NatsPublisher.to("nats://t0ken%2F@127.0.0.1:" + server.port())
                        .build();
                NatsPublisher inFile = NatsPublisher.to("nats://127.0.0.1:" + server.port())
                        .passwordFile(file)
                        .build()) {
            Message message = outbox.put(Draft.json("{}").topic(streams.stream()));
            Outcome.awaitPublished(inUrl.publish(message, LoggedMessages.FIRST));
            Outcome.awaitPublished(inFile.publish(message, LoggedMessages.FIRST));
            assertThat(inUrl.target()).doesNotContain("t0ken");
        }
    }

    @Test
    void credentialsAreUsed(TestDatabase database, @TempDir Path folder) throws Exception {
        assumeTrue(NatsServer.isInstalled(), NatsServer.MISSING);
        TestCredentials credentials = TestCredentials.create(folder);
        try (LoggedMessages outbox = new LoggedMessages(database);
                NatsServer server = NatsServer.start(credentials.settings());
                NatsPublisher with = NatsPublisher.to("nats://127.0.0.1:" + server.port())
                        .credentials(credentials.file())
                        .build();
                NatsPublisher without =
                        NatsPublisher.to("nats://127.0.0.1:" + server.port()).build()) {
            Message message = outbox.put(Draft.json("{}").topic("t"));
            // The login is accepted, but the account has no JetStream.
            assertThat(Outcome.failure(with.publish(message, LoggedMessages.FIRST)))
                    .hasMessageContaining("No stream");
            assertThat(Outcome.failure(without.publish(message, LoggedMessages.FIRST)))
                    .hasMessageContaining("refuses us");
        }
        assertThatThrownBy(() -> NatsPublisher.to("nats://h").credentials(folder.resolve("none")))
                .hasMessageContaining("cannot be read");
    }

    @Test
    void theCertificateAndItsHostNameAreChecked(TestDatabase database) throws Exception {
        assumeTrue(NatsServer.isInstalled(), NatsServer.MISSING);
        String login = "tls://baton:" + NatsServer.PASSWORD + "@";
        TestCertificate certificate = TestCertificate.create();
        String setting =
                "tls { cert_file: \"" + certificate.certificate() + "\", key_file: \"" + certificate.key() + "\" }";
        try (LoggedMessages outbox = new LoggedMessages(database);
                NatsServer server = NatsServer.start("jetstream {}", NatsServer.LOGIN, setting);
                NatsPublisher trusting = NatsPublisher.to(login + "localhost:" + server.port())
                        .subject("fixed")
                        .tls(certificate.trusting())
                        .build();
                NatsPublisher wrongName = NatsPublisher.to(login + "127.0.0.1:" + server.port())
                        .tls(certificate.trusting())
                        .build();
                NatsPublisher stranger =
                        NatsPublisher.to(login + "localhost:" + server.port()).build();
                NatsPublisher careless =
                        NatsPublisher.to("nats://localhost:" + server.port()).build()) {
            Message message = outbox.put(Draft.json("{}").topic("t"));
            assertThat(Outcome.failure(trusting.publish(message, LoggedMessages.FIRST)))
                    .as("it is connected")
                    .hasMessageContaining("No stream");
            assertOutage(wrongName.publish(message, LoggedMessages.FIRST), "No subject alternative names");
            assertOutage(stranger.publish(message, LoggedMessages.FIRST), "unable to find valid certification path");
            assertOutage(careless.publish(message, LoggedMessages.FIRST), "SSL required by server");
        }
        assertThatThrownBy(() -> NatsPublisher.to("nats://h").tls(certificate.trusting()))
                .hasMessageContaining("write tls://");
    }

    private static void assertOutage(CompletionStage<?> stage, String why) throws Exception {
        HandlerException failure = Outcome.failure(stage);
        assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
        assertThat(failure).hasMessageContaining(why);
    }
}
