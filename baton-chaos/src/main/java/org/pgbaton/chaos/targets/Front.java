package org.pgbaton.chaos.targets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands before a server, and resets connections in the middle of an answer if told to, which the JDK's HTTP server cannot do. Thread-safe. */
final class Front implements AutoCloseable {
    /** Not even the line with the status comes through. */
    private static final int BEGINNING = 7;

    private final InetSocketAddress server;
    private final ServerSocket listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger answers = new AtomicInteger();
    private volatile int every;

    Front(InetSocketAddress server) throws IOException {
        this.server = server;
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** @param nth 1: of each answer, 2: of every other; 0: of none */
    void resetEvery(int nth) {
        every = nth;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket behind = new Socket(server.getAddress(), server.getPort());
                sockets.add(client);
                sockets.add(behind);
                start(() -> forward(client, behind));
                start(() -> answer(behind, client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void forward(Socket client, Socket behind) {
        try (client;
                behind) {
            client.getInputStream().transferTo(behind.getOutputStream());
        } catch (IOException ended) {
            // One side went away; so does this connection.
        } finally {
            sockets.remove(client);
        }
    }

    private void answer(Socket behind, Socket client) {
        byte[] buffer = new byte[16 * 1024];
        try (client;
                behind) {
            InputStream in = behind.getInputStream();
            OutputStream out = client.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                int nth = every;
                if (nth > 0 && answers.incrementAndGet() % nth == 0) {
                    out.write(buffer, 0, Math.min(read, BEGINNING));
                    client.setSoLinger(true, 0); // closing it sends a reset
                    return;
                }
                out.write(buffer, 0, read);
            }
        } catch (IOException ended) {
            // One side went away; so does this connection.
        } finally {
            sockets.remove(behind);
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "chaos-front");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException closed) {
            // That is what we wanted.
        }
    }
}
