package org.pgbaton.chaos.device;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** Between the processes of Baton and PostgreSQL: loses answers to COMMIT, breaks connections, or lets nothing through. Thread-safe. */
public final class Proxy implements AutoCloseable {
    private static final byte[] COMMITTED = "COMMIT\0".getBytes(StandardCharsets.US_ASCII);

    private final TestServer server;
    private final ServerSocket listener;
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private final AtomicInteger toLose = new AtomicInteger();
    private volatile CountDownLatch stopped = new CountDownLatch(0);
    private volatile int delayMillis;

    public Proxy(TestServer server) throws IOException {
        this.server = server;
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        startThread(this::accept);
    }

    public String url(TestDatabase database, String user) {
        return database.urlFor(user).replace(":" + server.postgres().port() + "/", ":" + listener.getLocalPort() + "/");
    }

    /** Drops the answers to this many commits, so that clients do not know how they ended. */
    public void loseAnswers(int commits) {
        toLose.set(commits);
    }

    public int answersToLose() {
        return Math.max(0, toLose.get());
    }

    /** Breaks all connections of this moment. The server goes on with what it was told. */
    public void hangUp() throws IOException {
        for (Socket client : List.copyOf(clients)) {
            client.close();
            clients.remove(client);
        }
    }

    /** Breaks some of them. */
    public void hangUpSome(Random random) throws IOException {
        for (Socket client : List.copyOf(clients)) {
            if (random.nextBoolean()) {
                client.close();
                clients.remove(client);
            }
        }
    }

    /** Lets nothing through any more, without telling either end. */
    public void stop() {
        stopped = new CountDownLatch(1);
    }

    public void goOn() {
        stopped.countDown();
    }

    /** Delays everything that comes through. */
    public void delay(int millis) {
        delayMillis = millis;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                clients.add(client);
                startThread(() -> connect(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void connect(Socket client) {
        try {
            stopped.await();
            Socket backend = new Socket(
                    InetAddress.getLoopbackAddress(), server.postgres().port());
            client.setTcpNoDelay(true);
            backend.setTcpNoDelay(true);
            startThread(() -> forward(client, backend));
            answer(backend, client);
        } catch (IOException refused) {
            close(client);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException closed) {
            // That is what we wanted.
        }
    }

    private void forward(Socket client, Socket backend) {
        byte[] buffer = new byte[16 * 1024];
        try (client;
                backend) {
            for (int read = client.getInputStream().read(buffer);
                    read >= 0;
                    read = client.getInputStream().read(buffer)) {
                stopped.await();
                Thread.sleep(delayMillis);
                backend.getOutputStream().write(buffer, 0, read);
            }
        } catch (IOException ended) {
            // One side went away; so does this connection.
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } finally {
            clients.remove(client);
        }
    }

    private void answer(Socket backend, Socket client) {
        try (client;
                backend) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(backend.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(client.getOutputStream()));
            while (true) {
                int type = in.readUnsignedByte();
                if (type == 'N' && out.size() == 0) {
                    out.writeByte(type); // the answer to a request for TLS has no length
                    out.flush();
                    continue;
                }
                int length = in.readInt();
                byte[] body = in.readNBytes(length - 4);
                stopped.await();
                if (type == 'C' && Arrays.equals(body, COMMITTED) && toLose.get() > 0 && toLose.getAndDecrement() > 0) {
                    return;
                }
                out.writeByte(type);
                out.writeInt(length);
                out.write(body);
                if (in.available() == 0) {
                    Thread.sleep(delayMillis);
                    out.flush();
                }
            }
        } catch (IOException ended) {
            // One side went away; so does this connection.
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } finally {
            clients.remove(client);
        }
    }

    private static void startThread(Runnable work) {
        Thread thread = new Thread(work, "chaos-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        stopped.countDown();
        hangUp();
    }
}
