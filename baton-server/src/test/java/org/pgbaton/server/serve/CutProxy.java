package org.pgbaton.server.serve;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between a program and PostgreSQL. At the n-th thing that the program says, it cuts all connections; then it refuses some, and after that
 * all is well. So an outage begins at a chosen moment, and lasts until somebody noticed.
 */
final class CutProxy implements AutoCloseable {
    private static final int REFUSED = 2;

    private final ServerSocket listening;
    private final int port;
    private final int cutAt;
    private final AtomicInteger said = new AtomicInteger();
    private final AtomicInteger toRefuse = new AtomicInteger();
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    /** @param port of the server */
    CutProxy(int port, int cutAt) throws IOException {
        this.port = port;
        this.cutAt = cutAt;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        run(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    boolean hasCut() {
        return said.get() >= cutAt;
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            if (toRefuse.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                client.close();
                continue;
            }
            Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
            open.addAll(List.of(client, server));
            run(() -> pass(client, server, true));
            run(() -> pass(server, client, false));
        }
    }

    private void pass(Socket from, Socket to, boolean counts) throws IOException {
        byte[] buffer = new byte[65536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (counts && said.incrementAndGet() == cutAt) {
                    toRefuse.set(REFUSED);
                    closeAll();
                    return;
                }
                out.write(buffer, 0, read);
            }
        }
    }

    private void closeAll() throws IOException {
        for (Socket each : open) {
            each.close();
        }
    }

    @FunctionalInterface
    private interface Task {
        void run() throws IOException;
    }

    private static void run(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException ended) {
                // One side hung up, or the proxy is closed.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listening.close();
            closeAll();
        } catch (IOException unusual) {
            throw new UncheckedIOException(unusual);
        }
    }
}
