package org.pgbaton.http;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A server on loopback that does with each connection what the test says, also against the protocol. */
final class RawServer implements AutoCloseable {
    private final ServerSocket listening;
    private final Conversation conversation;
    private final Queue<Connection> connections = new ConcurrentLinkedQueue<>();
    final AtomicInteger ended = new AtomicInteger();

    interface Conversation {
        void with(Connection connection) throws Exception;
    }

    RawServer(Conversation conversation) throws IOException {
        this.listening = new ServerSocket(0, 300, InetAddress.getLoopbackAddress());
        this.conversation = conversation;
        start(this::accept);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "raw-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Connection connection = new Connection(listening.accept(), connections.size());
                connections.add(connection);
                start(() -> converse(connection));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void converse(Connection connection) {
        try (connection) {
            conversation.with(connection);
        } catch (Exception gone) {
            // The client has left.
        } finally {
            ended.incrementAndGet();
        }
    }

    /** One connection, numbered from 0. */
    static final class Connection implements AutoCloseable {
        final Socket socket;
        final int number;
        private final InputStream in;

        Connection(Socket socket, int number) throws IOException {
            this.socket = socket;
            this.number = number;
            this.in = new BufferedInputStream(socket.getInputStream());
        }

        /** @return the headers; the body is read and forgotten */
        String readRequest() throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int c = in.read();
                if (c < 0) {
                    throw new IOException("closed");
                }
                head.append((char) c);
            }
            String lower = head.toString().toLowerCase(Locale.ROOT);
            int at = lower.indexOf("content-length: ") + "content-length: ".length();
            in.skipNBytes(Integer.parseInt(lower.substring(at, lower.indexOf("\r\n", at))));
            return head.toString();
        }

        void write(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        }

        /** Until the client closes the connection, or the server is closed. */
        void holdStill() throws IOException {
            while (in.read() >= 0) {}
        }

        /** Ends with a reset instead of an orderly end. */
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    int connections() {
        return connections.size();
    }

    int port() {
        return listening.getLocalPort();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port() + "/hook");
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Connection connection : connections) {
            connection.close();
        }
    }
}
