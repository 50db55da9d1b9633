package org.pgbaton.server.demo;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A worker's way to the database: forwards each connection to it, until it is cut; then all connections end, and new ones too, until it is mended.
 * Thread-safe.
 */
final class CuttableLink implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("//([^/:]+):([0-9]+)/");

    private final String url;
    private final String host;
    private final int port;
    private final ServerSocket entrance;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean isCut;

    private CuttableLink(String url, String host, int port) throws IOException {
        this.host = host;
        this.port = port;
        this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.url = url.replace("//" + host + ":" + port + "/", "//127.0.0.1:" + entrance.getLocalPort() + "/");
    }

    /** @param url as JDBC writes it */
    static CuttableLink to(String url) throws IOException {
        Matcher address = ADDRESS.matcher(url);
        if (!address.find()) {
            throw new IllegalArgumentException("There is no host and port in the URL of the database.");
        }
        CuttableLink link = new CuttableLink(url, address.group(1), Integer.parseInt(address.group(2)));
        daemon(link::accept);
        return link;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "baton-demo-link");
        thread.setDaemon(true);
        thread.start();
    }

    /** The database as the worker sees it. */
    String url() {
        return url;
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                Socket here = entrance.accept();
                if (isCut) {
                    here.close();
                } else {
                    connect(here);
                }
            } catch (IOException ended) {
                // Closed, or the database has gone; the next connection shows which.
            }
        }
    }

    private void connect(Socket here) throws IOException {
        try {
            Socket there = new Socket(host, port);
            here.setTcpNoDelay(true);
            there.setTcpNoDelay(true);
            sockets.add(here);
            sockets.add(there);
            daemon(() -> copy(here, there));
            daemon(() -> copy(there, here));
        } catch (IOException refused) {
            here.close(); // the worker must not wait for an answer that never comes
            throw refused;
        }
    }

    private void copy(Socket from, Socket to) {
        byte[] buffer = new byte[16 * 1024];
        try (from;
                to;
                InputStream in = from.getInputStream()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                to.getOutputStream().write(buffer, 0, read);
            }
        } catch (IOException ended) {
            // The other side sees it, too.
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    void cut() {
        isCut = true;
        sockets.forEach(CuttableLink::end);
    }

    void mend() {
        isCut = false;
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException already) {
            // That is what we wanted.
        }
    }

    @Override
    public void close() {
        try {
            entrance.close();
        } catch (IOException already) {
            // That is what we wanted.
        }
        cut();
    }
}
