package org.pgbaton.server.demo;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server in the process of the demo. Several threads call its handlers. */
final class LocalHttpServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(8, task -> {
        Thread thread = new Thread(task, "endpoint");
        thread.setDaemon(true);
        return thread;
    });

    LocalHttpServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.start();
    }

    /** @return the URL of the handler */
    String handle(String path, HttpHandler handler) {
        server.createContext(path, handler);
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
