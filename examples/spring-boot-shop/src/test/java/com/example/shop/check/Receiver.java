package com.example.shop.check;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Somebody else's service, which gets the orders. Delivery is at least once, so it remembers the ids. */
final class Receiver implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(8);
    private final Set<String> ids = new HashSet<>();
    private final Map<String, List<String>> messages = new TreeMap<>();
    private int duplicates;

    Receiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/orders", this::receive);
        server.setExecutor(threads);
        server.start();
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/orders");
    }

    /** By customer, without duplicates, in the order of arrival. */
    synchronized Map<String, List<String>> messages() {
        return messages;
    }

    synchronized int duplicates() {
        return duplicates;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            String message = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            take(
                    exchange.getRequestHeaders().getFirst("webhook-id"),
                    exchange.getRequestHeaders().getFirst("baton-key"),
                    message);
            exchange.sendResponseHeaders(204, -1);
        }
    }

    private synchronized void take(String id, String customer, String message) {
        if (ids.add(id)) {
            messages.computeIfAbsent(customer, c -> new ArrayList<>()).add(message);
        } else {
            duplicates++;
        }
    }
}
