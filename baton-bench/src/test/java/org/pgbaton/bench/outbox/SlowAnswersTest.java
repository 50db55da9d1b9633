package org.pgbaton.bench.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlowAnswersTest {
    private static final Duration DELAY = Duration.ofMillis(300);

    @Test
    void eachAnswerComesLaterButNoneWaitsForAnother() throws Exception {
        try (ServerSocket echo = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SlowAnswers proxy = new SlowAnswers()) {
            proxy.leadTo("127.0.0.1:" + echo.getLocalPort());
            proxy.delay(DELAY);
            Thread server = new Thread(() -> echo(echo));
            server.start();
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
                long begin = System.nanoTime();
                // If each answer waited for the one before it, this would take a hundred times as long.
                for (int i = 0; i < 100; i++) {
                    client.getOutputStream().write(i);
                    client.getOutputStream().flush();
                }
                byte[] answers = client.getInputStream().readNBytes(100);
                Duration taken = Duration.ofNanos(System.nanoTime() - begin);

                assertThat(answers).hasSize(100).startsWith(0, 1, 2).endsWith(98, 99);
                assertThat(taken).isBetween(DELAY, DELAY.multipliedBy(50));
            }
            server.join();
        }
    }

    private static void echo(ServerSocket entrance) {
        try (Socket socket = entrance.accept()) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException gone) {
            // The client is gone.
        }
    }
}
