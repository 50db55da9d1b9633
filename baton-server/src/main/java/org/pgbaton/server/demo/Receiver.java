package org.pgbaton.server.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tools.jackson.databind.ObjectMapper;

/** An endpoint for webhooks, in the demo's own process. */
final class Receiver implements Target {
    private final Arrivals arrivals = new Arrivals();
    private final ObjectMapper json = new ObjectMapper();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(8, task -> {
        Thread thread = new Thread(task, "receiver");
        thread.setDaemon(true);
        return thread;
    });

    Receiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/trades", this::receive);
        server.setExecutor(threads);
        server.start();
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] trade = exchange.getRequestBody().readAllBytes();
            arrivals.accept(
                    exchange.getRequestHeaders().getFirst("baton-key"),
                    json.readTree(trade).path("number").asLong());
            exchange.sendResponseHeaders(204, -1);
        }
    }

    @Override
    public String name() {
        return "a webhook";
    }

    @Override
    public String topic() {
        return "trades";
    }

    @Override
    public List<String> workerOptions() {
        return List.of("--webhook", "http://127.0.0.1:" + server.getAddress().getPort() + "/trades");
    }

    @Override
    public Arrivals arrivals() {
        return arrivals;
    }

    @Override
    public boolean isExactlyOnce() {
        return false;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
