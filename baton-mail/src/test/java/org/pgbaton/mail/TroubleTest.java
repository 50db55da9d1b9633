package org.pgbaton.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

@Timeout(30)
class TroubleTest {
    private static final Duration SHORT = Duration.ofMillis(400);
    /** A limit for things that end by themselves, on any machine. */
    private static final Duration LONG = Duration.ofSeconds(20);

    private static final String PASSWORD = "s3cret-of-mail";

    private SmtpServer server = new SmtpServer(null);

    TroubleTest() throws IOException {}

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private MailPublisher.Builder builder() {
        return MailPublisher.via("127.0.0.1")
                .port(server.port())
                .tls(Tls.NONE)
                .login("baton", PASSWORD)
                .from("alerts@example.com")
                .to("ops@example.com")
                .timeout(LONG);
    }

    private HandlerException failure() throws Exception {
        return failure(LONG);
    }

    private HandlerException failure(Duration limit) throws Exception {
        try (MailPublisher publisher = builder().timeout(limit).build()) {
            return Sending.failed(publisher.publish(Sending.anyMessage(), Sending.DELIVERY));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GREETING, 421 too many connections, OUTAGE, cannot be reached",
        "GREETING, 554 not you, OUTAGE, cannot be reached",
        "AUTH, 535 5.7.8 wrong, OUTAGE, refuses the login",
        "AUTH, 454 later, OUTAGE, refuses the login",
        "MAIL, 550 not from there, OUTAGE, refuses the sender",
        "MAIL, 451 later, OUTAGE, refuses the sender",
        "RCPT, 450 greylisted, OUTAGE, refuses the recipient: 450 greylisted",
        "RCPT, 550 no such user, PARK, refuses the recipient: 550 no such user",
        "DATA, 451 later, OUTAGE, refuses the message: 451 later",
        "END, 421 closing, OUTAGE, refuses the message: 421 closing",
        "END, 452 disk full, OUTAGE, refuses the message: 452 disk full",
        "END, 552 too much, PARK, refuses the message: 552 too much",
        "END, 554 looks like spam, PARK, refuses the message: 554 looks like spam",
        "END, 530 log in first, OUTAGE, refuses the message: 530 log in first",
    })
    void everyAnswerHasItsMeaning(String command, String answer, Verdict verdict, String says) throws Exception {
        server.answering(each -> each.equals(command) ? answer : null);

        HandlerException failure = failure();

        assertThat(failure.verdict()).isEqualTo(verdict);
        assertThat(failure)
                .hasMessageStartingWith("mail server 127.0.0.1:")
                .hasMessageContaining(says)
                .hasNoCause();
        assertThat(server.mails).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "GREETING, hang",
        "EHLO, hang",
        "AUTH, hang",
        "RCPT, hang",
        "END, hang",
        "GREETING, drip",
        "EHLO, drip",
        "MAIL, drip",
        "END, drip",
    })
    void aServerThatDoesNotAnswerIsLeftInTime(String command, String answer) throws Exception {
        server.answering(each -> each.equals(command) ? answer : null);
        long start = System.nanoTime();

        HandlerException failure = failure(SHORT);

        assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
        assertThat(failure).hasMessageContaining("did not answer within 400 ms");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @CsvSource({"GREETING", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "END"})
    void aServerThatGoesAwayIsAnOutage(String command) throws Exception {
        server.answering(each -> each.equals(command) ? SmtpServer.RESET : null);

        assertThat(failure().verdict()).isEqualTo(Verdict.OUTAGE);
    }

    @Test
    void noServerIsAnOutage() throws Exception {
        int port;
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
        try (MailPublisher publisher = builder().port(port).build()) {
            HandlerException failure = Sending.failed(publisher.publish(Sending.anyMessage(), Sending.DELIVERY));
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("cannot be reached: Connection refused");
        }
    }

    @ParameterizedTest
    @CsvSource({"AUTH, 535", "END, 554"})
    void thePasswordIsShownInNoForm(String command, String code) throws Exception {
        server.answering(each -> each.equals(command)
                ? code + " I got " + String.join(" ", server.commands) + " and " + PASSWORD
                : null);

        HandlerException failure = failure();

        assertThat(server.commands.toString()).contains("AUTH ");
        String encoded = server.commands.stream()
                .filter(each -> each.startsWith("AUTH PLAIN"))
                .map(each -> each.replace("AUTH PLAIN ", "").replace("=", ""))
                .findFirst()
                .orElse("no such line");
        assertThat(failure.getMessage()).contains("***").doesNotContain(PASSWORD, encoded);
        try (MailPublisher publisher = builder().build()) {
            assertThat(publisher.toString() + publisher.target())
                    .isEqualTo("mail to ops@example.com by 127.0.0.1".repeat(2));
        }
    }

    @Test
    void aConnectionServesManyMailsAndIsReplacedWhenItIsGone() throws Exception {
        try (MailPublisher publisher = builder().build()) {
            for (int i = 0; i < 5; i++) {
                Sending.published(publisher.publish(Sending.anyMessage(), Sending.DELIVERY));
            }
            assertThat(server.connections).hasValue(1);
            server.answering(each -> each.equals("NOOP") ? SmtpServer.RESET : null);
            Sending.published(publisher.publish(Sending.anyMessage(), Sending.DELIVERY));
            assertThat(server.connections).hasValue(2);
        }
        assertThat(server.mails).hasSize(6);
    }

    @Test
    void publishingDoesNotWaitAndWhatIsTooMuchComesBackLater() throws Exception {
        server.answering(each -> each.equals("END") ? SmtpServer.HANG : null);
        try (MailPublisher publisher = builder().timeout(SHORT).build()) {
            Message message = Sending.anyMessage();
            List<CompletionStage<Void>> all = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < 50; i++) {
                all.add(publisher.publish(message, Sending.DELIVERY));
            }
            Duration passed = Duration.ofNanos(System.nanoTime() - start);
            List<Verdict> verdicts = new ArrayList<>();
            for (CompletionStage<Void> each : all) {
                verdicts.add(Sending.failed(each).verdict());
            }
            assertThat(verdicts).contains(Verdict.PAUSE).containsOnly(Verdict.PAUSE, Verdict.OUTAGE);
            // Mails that waited behind the outage did not try themselves: it took one time limit, not nine.
            assertThat(passed)
                    .as("publishing, and not waiting for %s each", SHORT)
                    .isLessThan(SHORT.multipliedBy(5));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SHORT.multipliedBy(9));
        }
    }

    @Test
    void closingCutsOffWhatHangsAndSendsNothingAfterwards() throws Exception {
        server.answering(each -> each.equals("END") ? SmtpServer.HANG : null);
        MailPublisher publisher = builder().timeout(Duration.ofMinutes(5)).build();
        CompletionStage<Void> result = publisher.publish(Sending.anyMessage(), Sending.DELIVERY);
        await().until(() -> server.commands.contains("DATA"));
        Thread.currentThread().interrupt();
        publisher.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(Sending.failed(result).verdict()).isEqualTo(Verdict.OUTAGE);
        assertThat(Sending.failed(publisher.publish(Sending.anyMessage(), Sending.DELIVERY)))
                .hasMessageContaining("closed on our side");
    }
}
