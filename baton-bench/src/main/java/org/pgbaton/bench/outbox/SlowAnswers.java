package org.pgbaton.bench.outbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A proxy in front of a broker. Requests pass at once; all answers pass a fixed time after the broker gave them, as over a long line,
 * which delays each of them and limits none. Thread-safe.
 */
final class SlowAnswers implements AutoCloseable {
    private static final int CHUNK = 1 << 16;

    /** Bytes, and when they are passed on, by {@link System#nanoTime}; no bytes are the end. */
    private static final class Answer {
        final long due;
        final byte[] bytes;

        Answer(long due, byte[] bytes) {
            this.due = due;
            this.bytes = bytes;
        }
    }

    private final ServerSocket entrance;
    private final ConcurrentLinkedQueue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private volatile InetSocketAddress target = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private volatile long delay;

    SlowAnswers() throws IOException {
        this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    String servers() {
        return "127.0.0.1:" + port();
    }

    void leadTo(String server) {
        int colon = server.lastIndexOf(':');
        target = new InetSocketAddress(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
    }

    /** For answers that come from now on. */
    void delay(Duration time) {
        delay = time.toNanos();
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "slow-answers");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                connect(entrance.accept());
            }
        } catch (IOException closed) {
            // The end.
        }
    }

    private void connect(Socket client) throws IOException {
        Socket server = new Socket();
        sockets.add(client);
        sockets.add(server);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        try {
            server.connect(target);
        } catch (IOException refused) {
            close(client, server);
            return;
        }
        BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
        start(() -> requests(client, server));
        start(() -> receive(server, answers));
        start(() -> passOn(client, server, answers));
    }

    private void requests(Socket client, Socket server) {
        try (InputStream input = client.getInputStream();
                OutputStream output = server.getOutputStream()) {
            byte[] buffer = new byte[CHUNK];
            for (int length = input.read(buffer); length >= 0; length = input.read(buffer)) {
                output.write(buffer, 0, length);
            }
        } catch (IOException gone) {
            close(client, server);
        }
    }

    private void receive(Socket server, BlockingQueue<Answer> answers) {
        try (InputStream input = server.getInputStream()) {
            byte[] buffer = new byte[CHUNK];
            for (int length = input.read(buffer); length >= 0; length = input.read(buffer)) {
                answers.add(new Answer(System.nanoTime() + delay, Arrays.copyOf(buffer, length)));
            }
        } catch (IOException gone) {
            // As if it had ended.
        }
        answers.add(new Answer(System.nanoTime(), new byte[0]));
    }

    private void passOn(Socket client, Socket server, BlockingQueue<Answer> answers) {
        try (OutputStream output = client.getOutputStream()) {
            for (Answer answer = answers.take(); answer.bytes.length > 0; answer = answers.take()) {
                while (System.nanoTime() < answer.due) {
                    LockSupport.parkNanos(answer.due - System.nanoTime());
                }
                output.write(answer.bytes);
            }
        } catch (IOException | InterruptedException gone) {
            // The connection ends.
        }
        close(client, server);
    }

    private void close(Socket... both) {
        for (Socket each : both) {
            sockets.remove(each);
            try {
                each.close();
            } catch (IOException already) {
                // Closed is closed.
            }
        }
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        close(sockets.toArray(Socket[]::new));
    }
}
