package org.pgbaton.proofs.subscription;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgbaton.testkit.TestDatabase;

/**
 * A proxy between a client and PostgreSQL. On request it lets a COMMIT reach the server, drops the answer and closes
 * the connection.
 */
final class LossyProxy implements AutoCloseable {
    private static final byte[] COMMITTED = "COMMIT\0".getBytes(StandardCharsets.US_ASCII);

    private final ServerSocket listener;
    private final TestDatabase database;
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private final AtomicInteger toLose = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();

    LossyProxy(TestDatabase database) throws IOException {
        this.database = database;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        startThread(this::accept);
    }

    String url() {
        String server = ":" + database.server().postgres().port() + "/";
        return database.url().replace(server, ":" + listener.getLocalPort() + "/");
    }

    /** The client will not learn how the next commit on that backend ended. */
    void loseTheAnswerToTheCommitOf(int backend) {
        toLose.set(backend);
    }

    /**
     * Breaks all present connections; the server goes on with statements that it has received. New connections are
     * served.
     */
    void hangUp() throws IOException {
        for (Socket client : List.copyOf(clients)) {
            client.close();
            clients.remove(client);
        }
    }

    int lost() {
        return lost.get();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(
                        InetAddress.getLoopbackAddress(),
                        database.server().postgres().port());
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                clients.add(client);
                startThread(() -> forward(client, server));
                startThread(() -> answer(server, client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void forward(Socket client, Socket server) {
        try (client;
                server) {
            client.getInputStream().transferTo(server.getOutputStream());
        } catch (IOException ended) {
            // One side went away; so does this connection.
        }
    }

    private void answer(Socket server, Socket client) {
        try (client;
                server) {
            DataInputStream in = new DataInputStream(server.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            int backend = 0;
            while (true) {
                int type = in.readUnsignedByte();
                // The answer to a request for TLS has no length.
                if (type == 'N' && out.size() == 0) {
                    out.writeByte(type);
                    continue;
                }
                int length = in.readInt();
                byte[] body = new byte[length - 4];
                in.readFully(body);
                if (type == 'K') {
                    backend = ByteBuffer.wrap(body).getInt();
                }
                if (backend != 0 && type == 'C' && Arrays.equals(body, COMMITTED) && toLose.compareAndSet(backend, 0)) {
                    lost.incrementAndGet();
                    return;
                }
                out.writeByte(type);
                out.writeInt(length);
                out.write(body);
                if (in.available() == 0) {
                    out.flush();
                }
            }
        } catch (IOException ended) {
            // One side went away; so does this connection.
        }
    }

    private static void startThread(Runnable work) {
        Thread thread = new Thread(work, "lossy-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
