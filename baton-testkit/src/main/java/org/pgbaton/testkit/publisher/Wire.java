package org.pgbaton.testkit.publisher;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A wire to a port of this machine. It can be cut, and it can be stalled: then it accepts connections and carries nothing. Thread-safe.
 */
public final class Wire implements AutoCloseable {
    private final ServerSocket listener;
    private final int port;
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private final Set<Socket> ends = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong carriedThere = new AtomicLong();
    private final AtomicLong carriedBack = new AtomicLong();
    private volatile boolean stalled;

    /**
     * Starts a wire to a port of this machine.
     *
     * @param port if nobody listens there, the wire refuses connections and counts them: {@link #refused}
     */
    public Wire(int port) throws IOException {
        this.port = port;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    /** The end for clients. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Connections so far. */
    public int connections() {
        return connections.get();
    }

    /** Bytes from clients to the server, so far. */
    public long carriedThere() {
        return carriedThere.get();
    }

    /** Bytes from the server to clients, so far. */
    public long carriedBack() {
        return carriedBack.get();
    }

    /**
     * Bytes that clients have sent so far, whether they were carried or not. Valid only while none of their connections
     * has been cut.
     */
    public long sent() throws IOException {
        long all = sent.get();
        for (Socket each : clients) {
            all += each.getInputStream().available();
        }
        return all;
    }

    /** Connections so far that failed because nobody listens at the other end. */
    public int refused() {
        return refused.get();
    }

    /** Breaks all present connections; new ones are possible. */
    public void cut() throws IOException {
        for (Socket each : List.copyOf(ends)) {
            each.close();
            ends.remove(each);
            clients.remove(each);
        }
    }

    /** Sets whether it carries nothing from now on. */
    public void stall(boolean now) {
        this.stalled = now;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                ends.add(client);
                Socket server = server(client);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                connections.incrementAndGet();
                ends.add(server);
                clients.add(client);
                start(() -> carry(client, server, sent, carriedThere));
                start(() -> carry(server, client, new AtomicLong(), carriedBack));
            } catch (IOException over) {
                refused.incrementAndGet();
            }
        }
    }

    private Socket server(Socket client) throws IOException {
        try {
            return new Socket(InetAddress.getLoopbackAddress(), port);
        } catch (IOException nobodyThere) {
            client.close();
            throw nobodyThere;
        }
    }

    private void carry(Socket from, Socket to, AtomicLong taken, AtomicLong carried) {
        byte[] buffer = new byte[16384];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                taken.addAndGet(read);
                while (stalled) {
                    Thread.sleep(5);
                }
                out.write(buffer, 0, read);
                carried.addAndGet(read);
            }
        } catch (IOException | InterruptedException over) {
            // One end is closed; now the other is, too.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "wire");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}
