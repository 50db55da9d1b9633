package org.pgbaton.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

@Timeout(30)
class TroubleTest {
    private static final Duration SHORT = Duration.ofMillis(500);

    /** A limit for things that end by themselves, on any machine. */
    private static final Duration LONG = Duration.ofSeconds(20);

    private static WebhookPublisher.Builder to(URI url) {
        return WebhookPublisher.to(url).allowPrivate(true).timeout(SHORT);
    }

    private static void expect(RawServer.Conversation conversation, Verdict verdict, String says) throws Exception {
        expect(conversation, LONG, verdict, says);
    }

    private static void expect(RawServer.Conversation conversation, Duration limit, Verdict verdict, String says)
            throws Exception {
        try (RawServer server = new RawServer(conversation);
                WebhookPublisher publisher = to(server.url()).timeout(limit).build()) {
            Message message = Sending.anyMessage();
            long start = System.nanoTime();
            HandlerException failure = Sending.failed(Sending.publish(publisher, message));
            assertThat(failure.verdict()).isEqualTo(verdict);
            assertThat(failure).hasMessageContaining(says);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            await().untilAsserted(() -> assertThat(server.ended).hasValue(server.connections()));
        }
    }

    @Test
    void anEndpointThatDoesNotAnswerMayBeTheMessagesFault() throws Exception {
        expect(RawServer.Connection::holdStill, SHORT, Verdict.RETRY, "did not answer within 500 ms");
    }

    @Test
    void anEndpointThatAnswersNobodyIsAnOutageUntilItAnswers() throws Exception {
        AtomicBoolean answers = new AtomicBoolean();
        try (RawServer server = new RawServer(connection -> {
                    connection.readRequest();
                    if (answers.get()) {
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                    } else {
                        connection.holdStill();
                    }
                });
                WebhookPublisher publisher =
                        to(server.url()).timeout(SHORT.multipliedBy(2)).build()) {
            Message message = Sending.anyMessage();
            for (int i = 0; i < 2; i++) {
                assertThat(Sending.failed(Sending.publish(publisher, message)).verdict())
                        .as("always the same message")
                        .isEqualTo(Verdict.RETRY);
            }
            HandlerException failure = Sending.failureOf(publisher);
            assertThat(failure.verdict()).as("another one").isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("neither this message nor another");
            assertThat(Sending.failed(Sending.publish(publisher, message)).verdict())
                    .isEqualTo(Verdict.OUTAGE);
            answers.set(true);
            Sending.published(Sending.publish(publisher, message));
            answers.set(false);
            List<CompletionStage<Void>> together = List.of(
                    Sending.publish(publisher, Sending.anyMessage()), Sending.publish(publisher, Sending.anyMessage()));
            for (CompletionStage<Void> each : together) {
                assertThat(Sending.failed(each).verdict()).isEqualTo(Verdict.OUTAGE);
            }
        }
    }

    @Test
    void aMessageThatIsNotAnsweredWhileOthersAreIsTriedAgain() throws Exception {
        try (RawServer server = new RawServer(connection -> {
                    if (connection.readRequest().contains("bad-key")) {
                        connection.holdStill();
                    } else {
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                    }
                });
                WebhookPublisher publisher =
                        to(server.url()).timeout(SHORT.multipliedBy(4)).build()) {
            Message one = Sending.message(Draft.json("1").key("bad-key-1"));
            Message two = Sending.message(Draft.json("2").key("bad-key-2"));
            List<CompletionStage<Void>> bad = List.of(Sending.publish(publisher, one), Sending.publish(publisher, two));
            for (int i = 0;
                    !bad.get(0).toCompletableFuture().isDone()
                            || !bad.get(1).toCompletableFuture().isDone();
                    i++) {
                Sending.published(Sending.publish(publisher, Sending.anyMessage()));
                assertThat(i).isLessThan(10_000);
            }
            for (CompletionStage<Void> each : bad) {
                assertThat(Sending.failed(each).verdict()).isEqualTo(Verdict.RETRY);
            }
        }
    }

    @Test
    void publishingDoesNotWaitForTheEndpoint() throws Exception {
        try (RawServer server = new RawServer(RawServer.Connection::holdStill);
                WebhookPublisher publisher = to(server.url()).build()) {
            CompletionStage<Void> result = Sending.publish(publisher, Sending.anyMessage());
            assertThat(result.toCompletableFuture()).isNotDone();
            assertThat(Sending.failed(result).verdict()).isEqualTo(Verdict.RETRY);
        }
    }

    @Test
    void headersThatNeverEndAreCutOff() throws Exception {
        expect(
                connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\n");
                    for (int i = 0; ; i++) {
                        connection.write("a" + i + ": b\r\n");
                        Thread.sleep(10);
                    }
                },
                SHORT,
                Verdict.RETRY,
                "did not answer");
    }

    @Test
    void anAnswerThatNeverEndsCountsByItsStatus() throws Exception {
        expect(connection -> endless(connection, "500 Oops"), Verdict.RETRY, "failed (500): yyyyyyyy");
    }

    @Test
    void anAnswerThatDripsCountsByItsStatusWhenTimeIsUp() throws Exception {
        expect(
                connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 422 No\r\nContent-Length: 1000000\r\n\r\n");
                    while (true) {
                        connection.write("z");
                        Thread.sleep(10);
                    }
                },
                SHORT,
                Verdict.PARK,
                "refuses this message (422): zz");
    }

    @Test
    void aThankYouThatNeverEndsIsAThankYou() throws Exception {
        try (RawServer server = new RawServer(connection -> endless(connection, "200 OK"));
                WebhookPublisher publisher =
                        to(server.url()).timeout(Duration.ofSeconds(20)).build()) {
            for (int i = 0; i < 3; i++) {
                Sending.published(Sending.publish(publisher, Sending.anyMessage()));
            }
            await().untilAsserted(() -> assertThat(server.ended).hasValue(3));
        }
    }

    @Test
    void aGiantAnswerIsNotReadToItsEnd() throws Exception {
        long[] written = new long[1];
        CountDownLatch gone = new CountDownLatch(1);
        try (RawServer server = new RawServer(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 400 No\r\nContent-Length: 100000000000\r\n\r\n");
                    String block = "g".repeat(100_000);
                    try {
                        for (; written[0] < 100_000_000_000L; written[0] += block.length()) {
                            connection.write(block);
                        }
                    } finally {
                        gone.countDown();
                    }
                });
                WebhookPublisher publisher =
                        to(server.url()).timeout(Duration.ofSeconds(20)).build()) {
            assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.PARK);
            gone.await();
            assertThat(written[0]).isLessThan(10_000_000_000L);
        }
    }

    private static void endless(RawServer.Connection connection, String status) throws IOException {
        connection.readRequest();
        connection.write("HTTP/1.1 " + status + "\r\nTransfer-Encoding: chunked\r\n\r\n");
        String chunk = "1000\r\n" + "y".repeat(4096) + "\r\n";
        while (true) {
            connection.write(chunk);
        }
    }

    @Test
    void aResetInTheMiddleIsAnOutage() throws Exception {
        expect(
                connection -> {
                    connection.readRequest();
                    connection.reset();
                },
                Verdict.OUTAGE,
                "cannot be reached");
    }

    @Test
    void aResetInsteadOfAWelcomeIsAnOutage() throws Exception {
        expect(RawServer.Connection::reset, SHORT.multipliedBy(4), Verdict.OUTAGE, "cannot be reached");
    }

    @Test
    void halfAnAnswerIsAnOutage() throws Exception {
        expect(
                connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-");
                },
                Verdict.OUTAGE,
                "cannot be reached");
    }

    @Test
    void whatIsNoHttpIsAnOutageAndIsShownShort() throws Exception {
        try (RawServer server = new RawServer(connection -> {
                    connection.readRequest();
                    connection.write("SSH-2.0-" + "q".repeat(5000) + "\r\n\r\n");
                });
                WebhookPublisher publisher = to(server.url()).timeout(LONG).build()) {
            HandlerException failure = Sending.failureOf(publisher);
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure.getMessage()).hasSizeLessThan(300);
        }
    }

    @Test
    void nobodyThereIsAnOutage() throws Exception {
        RawServer server = new RawServer(connection -> {});
        server.close();
        try (WebhookPublisher publisher = to(server.url()).timeout(LONG).build()) {
            HandlerException failure = Sending.failureOf(publisher);
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("cannot be reached: ConnectException");
        }
    }

    @Test
    void nobodyWhoTakesTheCallIsAnOutage() throws Exception {
        List<Socket> waiting = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            fill(full, waiting);
            try (WebhookPublisher publisher = to(URI.create("http://127.0.0.1:" + full.getLocalPort() + "/"))
                    .build()) {
                HandlerException failure = Sending.failureOf(publisher);
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining("could not be connected within 500 ms");
            }
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    /** Waits until the kernel accepts no further connection. */
    private static void fill(ServerSocket full, List<Socket> waiting) throws IOException {
        while (true) {
            Socket socket = new Socket();
            waiting.add(socket);
            try {
                socket.connect(new InetSocketAddress(full.getInetAddress(), full.getLocalPort()), 200);
            } catch (SocketTimeoutException isFull) {
                return;
            }
        }
    }

    @Test
    void aNameThatNobodyKnowsIsAnOutage() throws Exception {
        try (WebhookPublisher publisher = to(URI.create("https://hooks.example/"))
                .resolver(name -> {
                    throw new UnknownHostException(name);
                })
                .build()) {
            HandlerException failure = Sending.failureOf(publisher);
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("hooks.example cannot be resolved");
        }
    }

    @Test
    void aNameServerThatHangsIsAnOutageWithinTheTimeLimit() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (WebhookPublisher publisher = to(URI.create("https://hooks.example/"))
                .resolver(name -> {
                    try {
                        never.await();
                    } catch (InterruptedException stop) {
                        throw new UnknownHostException(name);
                    }
                    return List.of();
                })
                .build()) {
            assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.OUTAGE);
        } finally {
            never.countDown();
        }
    }

    @Test
    void aCertificateThatNobodyVouchesForIsAnOutage() throws Exception {
        HandlerException failure = overTls("hooks.example", false);
        assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
        assertThat(failure).hasMessageContaining("SSLHandshakeException");
    }

    @Test
    void aCertificateOfAnotherNameIsAnOutage() throws Exception {
        HandlerException failure = overTls("other.example", true);
        assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
        assertThat(failure).hasMessageContaining("SSLPeerUnverifiedException");
    }

    private static HandlerException overTls(String certified, boolean trusted) throws Exception {
        try (Secure secure = new Secure(certified);
                WebhookPublisher publisher = secure.publisher(trusted)) {
            HandlerException failure = Sending.failureOf(publisher);
            assertThat(secure.server.getRequestCount()).isZero();
            return failure;
        }
    }

    @Test
    void overTlsTheNameIsAskedForAndCheckedAlthoughTheAddressIsConnectedTo() throws Exception {
        try (Secure secure = new Secure("hooks.example");
                WebhookPublisher publisher = secure.publisher(true)) {
            secure.server.enqueue(new MockResponse.Builder().build());
            secure.server.enqueue(new MockResponse.Builder().build());
            Sending.published(Sending.publish(publisher, Sending.anyMessage()));
            Sending.published(Sending.publish(publisher, Sending.anyMessage()));

            var request = secure.server.takeRequest();
            assertThat(request.getHandshakeServerNames()).containsExactly("hooks.example");
            assertThat(request.getUrl().host()).isEqualTo("hooks.example");
            assertThat(request.getVersion()).isEqualTo("HTTP/2");
        }
    }

    @Test
    void aConnectionThatManyShareIsFoundDeadInTimeAndReplaced() throws Exception {
        CountDownLatch cut = new CountDownLatch(1);
        try (Secure secure = new Secure("hooks.example");
                RawServer network = new RawServer(connection -> {
                    try (Socket onward = new Socket(InetAddress.getLoopbackAddress(), secure.server.getPort())) {
                        CountDownLatch mine = connection.number == 0 ? cut : new CountDownLatch(1);
                        Thread back = new Thread(() -> forward(onward, connection.socket, mine));
                        back.start();
                        forward(connection.socket, onward, mine);
                    }
                });
                WebhookPublisher publisher = secure.builder(true, network.port())
                        .timeout(Duration.ofSeconds(3))
                        .build()) {
            secure.server.enqueue(new MockResponse.Builder().build());
            Sending.published(Sending.publish(publisher, Sending.anyMessage()));

            cut.countDown();
            secure.server.enqueue(new MockResponse.Builder().build());
            Sending.published(Sending.publish(publisher, Sending.anyMessage()));
            assertThat(network.connections()).isEqualTo(2);
        }
    }

    /** Passes bytes on, and when it is cut swallows them. */
    private static void forward(Socket from, Socket to, CountDownLatch cut) {
        byte[] buffer = new byte[10_000];
        try {
            for (int read = 0; read >= 0; read = from.getInputStream().read(buffer)) {
                if (cut.getCount() > 0) {
                    to.getOutputStream().write(buffer, 0, read);
                }
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    /** A server with a certificate of that name, which is reached as hooks.example. */
    private static final class Secure implements AutoCloseable {
        final MockWebServer server = new MockWebServer();
        private final HandshakeCertificates trusting;

        Secure(String certified) throws IOException {
            HeldCertificate certificate = new HeldCertificate.Builder()
                    .addSubjectAlternativeName(certified)
                    .build();
            server.useHttps(new HandshakeCertificates.Builder()
                    .heldCertificate(certificate)
                    .build()
                    .sslSocketFactory());
            server.start(InetAddress.getLoopbackAddress(), 0);
            trusting = new HandshakeCertificates.Builder()
                    .addTrustedCertificate(certificate.certificate())
                    .build();
        }

        WebhookPublisher publisher(boolean trusted) {
            return builder(trusted, server.getPort()).build();
        }

        WebhookPublisher.Builder builder(boolean trusted, int port) {
            WebhookPublisher.Builder builder = to(URI.create("https://hooks.example:" + port + "/hook"))
                    .timeout(Duration.ofSeconds(10))
                    .resolver(name -> List.of(InetAddress.getLoopbackAddress()));
            if (trusted) {
                builder.tuning(client -> client.sslSocketFactory(trusting.sslSocketFactory(), trusting.trustManager()));
            }
            return builder;
        }

        @Override
        public void close() {
            server.close();
        }
    }

    @Test
    void aHandshakeThatHangsIsAnOutage() throws Exception {
        try (RawServer server = new RawServer(RawServer.Connection::holdStill);
                WebhookPublisher publisher = to(URI.create("https://127.0.0.1:" + server.port() + "/"))
                        .build()) {
            assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.OUTAGE);
            await().untilAsserted(() -> assertThat(server.ended).hasPositiveValue());
        }
    }

    @Test
    void aKeptConnectionThatTheEndpointHasClosedMeanwhileIsNoTrouble() throws Exception {
        try (RawServer server = new RawServer(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                });
                WebhookPublisher publisher = to(server.url()).timeout(LONG).build()) {
            for (int i = 1; i <= 5; i++) {
                Sending.published(Sending.publish(publisher, Sending.anyMessage()));
                int soFar = i;
                await().untilAsserted(() -> assertThat(server.ended).hasValue(soFar));
            }
        }
    }

    @Test
    void afterASilenceKeptConnectionsAreNotTrusted() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        try (RawServer server = new RawServer(connection -> {
                    connection.readRequest();
                    if (connection.number < 2) {
                        both.countDown();
                        both.await();
                    }
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                    connection.holdStill();
                });
                WebhookPublisher publisher =
                        to(server.url()).timeout(SHORT.multipliedBy(4)).build()) {
            CompletionStage<Void> one = Sending.publish(publisher, Sending.anyMessage());
            Sending.published(Sending.publish(publisher, Sending.anyMessage()));
            Sending.published(one);

            // Both connections are kept now, and both are dead, because the network forgot them.
            assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.RETRY);
            Sending.published(Sending.publish(publisher, Sending.anyMessage()));
            assertThat(server.connections()).isEqualTo(3);
        }
    }
}
