package org.pgbaton.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import javax.net.SocketFactory;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgbaton.Fuzz;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;

/**
 * Whatever bytes an endpoint answers with, the message is published, or has failed with a verdict, a sentence in one short line, and a pause of
 * at most an hour.
 */
class AnyAnswerHasAVerdictTest {
    /** Seeds that found a bug are kept here; their inputs are tests of {@link AnswersTest}. */
    private static final List<Long> SEEDS = List.of(
            1L,
            20268265732936L, // a redirect to a host that repeats a secret
            20472452504774L, // a length of -4: the attempt never ended
            20762943524521L); // a status of -17: the thread ended

    private static final List<String> VALID = List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.0 202 Accepted\r\nServer: x\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 201 Created\r\n\r\n",
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\nContent-Length: 4\r\n\r\nwait",
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: Wed, 21 Oct 2099 07:28:00 GMT\r\n\r\nback soon",
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://user:pw@example.com:8443/x?key=y#z\r\n\r\n",
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\", charset=\"UTF-8\"\r\n\r\n",
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Digest nonce=\"a\"\r\n\r\n",
            "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 422 Unprocessable Entity\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n3\r\nno \r\n7\r\naccount\r\n0\r\nX: y\r\n\r\n",
            "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nSet-Cookie: a=b; Max-Age=1\r\n\r\n{\"error\": \"hidden-key is unknown\"}",
            "HTTP/1.1 500 Internal Server Error\r\nContent-Encoding: gzip\r\n\r\n" + zipped("no ".repeat(1_000_000)));

    private static final List<String> PARTS = List.of(
            "\r\n",
            "\r\n\r\n",
            "\n",
            "\r",
            "\0",
            " ",
            ":",
            ": ",
            ",",
            ";",
            "\u001b[31m",
            "\u00e2\u0080\u00ae",
            "\u00ff\u00fe",
            "HTTP/1.1 ",
            "HTTP/2 ",
            "ICY ",
            "000",
            "099",
            "199",
            "200",
            "299",
            "301",
            "410",
            "421",
            "503",
            "599",
            "999",
            "1000",
            "-1",
            "99999999999999999999",
            "Content-Length: 0\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: 9223372036854775807\r\n",
            "Transfer-Encoding: chunked\r\n",
            "7fffffffffffffff\r\n",
            "ffffffff;x=y\r\n",
            "Content-Encoding: gzip\r\n",
            "Connection: close\r\n",
            "Connection: upgrade\r\n",
            "Retry-After: ",
            "Retry-After: 99999999999999999999\r\n",
            "Retry-After: Mon, 31 Feb 2031 25:61:61 GMT\r\n",
            "Location: ",
            "Location: //[::1%25x]:99999/\r\n",
            "Location: \u00e4.example\r\n",
            "hidden-key",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "x".repeat(9000));

    private static String zipped(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /** What the endpoint answers next. */
    private byte[] answer = {};

    private int published;

    /** Exceptions that ended a thread; nobody else would see them. */
    private @Nullable RuntimeException thrown;

    private final WebhookPublisher publisher = WebhookPublisher.to(URI.create("http://127.0.0.1:9/hook?key=hidden-key"))
            .allowPrivate(true)
            .timeout(Duration.ofSeconds(5))
            .tuning(this::withoutNetwork)
            .build();

    private final Message message =
            Message.unlogged(UUID.randomUUID(), "42", "order", "{}".getBytes(StandardCharsets.UTF_8), Instant.EPOCH);

    @AfterEach
    void close() {
        publisher.close();
    }

    /** All happens in the thread that publishes, so that it can be measured. */
    private void withoutNetwork(OkHttpClient.Builder client) {
        client.dispatcher(new Dispatcher(new AtOnce()))
                .fastFallback(false)
                .connectionPool(new ConnectionPool(0, 1, TimeUnit.SECONDS))
                .socketFactory(new Sockets());
    }

    @Test
    void inputsOfSeeds() throws Exception {
        for (long seed : SEEDS) {
            run(seed, 4_000);
        }
        run(Fuzz.freshSeed(), 4_000);
    }

    @Test
    @Tag("heavy")
    void aMillionInputs() throws Exception {
        run(Fuzz.freshSeed(), 1_000_000);
    }

    private void run(long seed, int inputs) throws Exception {
        published = 0;
        Fuzz.run(seed, inputs, VALID, PARTS, this::isJudged);
        assertThat(published).isBetween(inputs / 20, inputs - inputs / 20);
    }

    private boolean isJudged(String input) {
        thrown = null;
        answer = input.getBytes(StandardCharsets.ISO_8859_1);
        CompletableFuture<Void> result =
                publisher.publish(message, new Delivery("hooks", "", 7, 1)).toCompletableFuture();
        assertThat(result).as("%s", thrown).isDone();
        assertThat(thrown).isNull();
        try {
            result.join();
            published++;
            assertThat(input).containsPattern("(HTTP/1\\.[01]|ICY) 2\\d\\d");
        } catch (CompletionException failed) {
            if (!(failed.getCause() instanceof HandlerException failure)) {
                throw failed;
            }
            assertThat(failure).hasNoCause();
            assertThat(failure.getMessage())
                    .startsWith(publisher.target())
                    .matches("[^\\p{Cntrl}\u2028\u2029\u202a-\u202e]+")
                    .doesNotContain("hidden-key")
                    .hasSizeLessThan(600);
            assertThat(failure.pause()).isBetween(Duration.ZERO, Duration.ofHours(1));
        }
        return true;
    }

    /** Runs what it is given before it returns. */
    private final class AtOnce extends AbstractExecutorService {
        @Override
        public void execute(Runnable work) {
            try {
                work.run();
            } catch (RuntimeException uncaught) {
                thrown = uncaught;
            }
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

    private final class Sockets extends SocketFactory {
        @Override
        public Socket createSocket() {
            return new Answering(answer);
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            throw new IOException("not used");
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
            throw new IOException("not used");
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            throw new IOException("not used");
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
            throw new IOException("not used");
        }
    }

    /** Takes any request, answers with these bytes, and ends. */
    private static final class Answering extends Socket {
        private final InputStream in;
        private boolean closed;

        Answering(byte[] answer) {
            this.in = new ByteArrayInputStream(answer);
        }

        @Override
        public void connect(SocketAddress endpoint, int timeout) {}

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public InputStream getInputStream() {
            return in;
        }

        @Override
        public OutputStream getOutputStream() {
            return OutputStream.nullOutputStream();
        }

        @Override
        public void setSoTimeout(int timeout) {}

        @Override
        public int getSoTimeout() {
            return 0;
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public synchronized void close() {
            closed = true;
        }
    }
}
