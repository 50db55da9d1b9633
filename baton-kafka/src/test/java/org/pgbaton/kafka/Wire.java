package org.pgbaton.kafka;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Passes on what clients and a broker say to each other, request by request, and can keep something back: a request, to be delivered
 * when nobody counts on it any more, or the answer to one. Thread-safe.
 */
final class Wire implements AutoCloseable {
    /** Numbers of Kafka's protocol. */
    enum Request {
        NONE(-1),
        PRODUCE(0),
        END_TRANSACTION(26);

        final int number;

        Request(int number) {
            this.number = number;
        }
    }

    private final ServerSocket entrance;
    private final ConcurrentLinkedQueue<Connection> connections = new ConcurrentLinkedQueue<>();
    private volatile InetSocketAddress target = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private final Map<Integer, Integer> seen = new ConcurrentHashMap<>();
    private volatile Request held = Request.NONE;
    private volatile Request unanswered = Request.NONE;

    Wire() throws IOException {
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
        String[] parts = server.split(":");
        target = new InetSocketAddress(parts[0], Integer.parseInt(parts[1]));
    }

    /** Requests of this kind, and what follows on the same connection, are kept back. */
    void hold(Request kind) {
        held = kind;
    }

    /** Requests of this kind are delivered, but from then on nothing is answered on the same connection. */
    void swallowAnswersTo(Request kind) {
        unanswered = kind;
    }

    /** From now on everything is passed on; what was kept back stays so. */
    void pass() {
        held = Request.NONE;
        unanswered = Request.NONE;
    }

    /** How many requests of this kind clients have sent. */
    int seen(Request kind) {
        return seen.getOrDefault(kind.number, 0);
    }

    int keptBack() {
        return connections.stream().mapToInt(Connection::keptBack).sum();
    }

    /** Delivers what was kept back, and returns when the broker has answered it all. */
    void deliver() throws IOException {
        for (Connection connection : connections) {
            connection.deliver();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = entrance.accept();
                Connection connection = new Connection(client);
                connections.add(connection);
                start(connection::requests);
            }
        } catch (IOException closed) {
            // The end of the test.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "wire");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        for (Connection connection : connections) {
            connection.close();
        }
    }

    /** From one client, which may be gone, to the broker. */
    private final class Connection {
        private final Socket client;
        private final Socket server = new Socket();
        private final List<byte[]> kept = new ArrayList<>();
        private int open;
        private boolean silent;

        Connection(Socket client) {
            this.client = client;
        }

        void requests() {
            try {
                server.connect(target);
                server.setTcpNoDelay(true);
                client.setTcpNoDelay(true);
                start(this::answers);
                DataInputStream input = new DataInputStream(client.getInputStream());
                while (true) {
                    byte[] request = input.readNBytes(input.readInt());
                    request(request);
                }
            } catch (IOException gone) {
                synchronized (this) {
                    if (kept.isEmpty()) {
                        close();
                    }
                }
            }
        }

        private synchronized void request(byte[] request) throws IOException {
            int kind = (request[0] << 8) | (request[1] & 0xff);
            seen.merge(kind, 1, Integer::sum);
            silent |= kind == unanswered.number;
            if (!kept.isEmpty() || kind == held.number) {
                kept.add(request);
            } else {
                send(request);
            }
        }

        private void send(byte[] request) throws IOException {
            open++;
            DataOutputStream output = new DataOutputStream(server.getOutputStream());
            output.writeInt(request.length);
            output.write(request);
            output.flush();
        }

        private void answers() {
            try {
                DataInputStream input = new DataInputStream(server.getInputStream());
                while (true) {
                    byte[] answer = input.readNBytes(input.readInt());
                    answer(answer);
                }
            } catch (IOException gone) {
                close();
            }
        }

        private synchronized void answer(byte[] answer) throws IOException {
            open--;
            notifyAll();
            if (!silent && !client.isClosed()) {
                DataOutputStream output = new DataOutputStream(client.getOutputStream());
                output.writeInt(answer.length);
                output.write(answer);
                output.flush();
            }
        }

        synchronized int keptBack() {
            return kept.size();
        }

        synchronized void deliver() throws IOException {
            if (kept.isEmpty()) {
                return;
            }
            silent = true;
            for (byte[] request : kept) {
                send(request);
            }
            kept.clear();
            try {
                while (open > 0 && !server.isClosed()) {
                    wait(10_000);
                }
            } catch (InterruptedException stop) {
                throw new IOException(stop);
            }
        }

        synchronized void close() {
            try {
                client.close();
                server.close();
            } catch (IOException already) {
                // Closed is closed.
            }
            notifyAll();
        }
    }
}
