package com.example.shop;

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

/**
 * Somebody else's service: an endpoint that gets each order by HTTP. Delivery is at least once, so it remembers the ids. It is
 * away for its first three requests.
 */
final class Receiver implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(8);
    private final Set<String> ids = new HashSet<>();
    private final Map<String, List<String>> ordersOfCustomers = new TreeMap<>();
    private int requests;

    Receiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/orders", this::receive);
        server.setExecutor(threads);
        server.start();
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/orders");
    }

    /** What was received, without duplicates, in the order of arrival. */
    synchronized Map<String, List<String>> ordersOfCustomers() {
        Map<String, List<String>> copy = new TreeMap<>();
        ordersOfCustomers.forEach((customer, orders) -> copy.put(customer, List.copyOf(orders)));
        return copy;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            String order = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(take(exchange, order) ? 204 : 503, -1);
        }
    }

    private synchronized boolean take(HttpExchange exchange, String order) {
        if (++requests <= 3) {
            return false;
        }
        if (ids.add(exchange.getRequestHeaders().getFirst("webhook-id"))) {
            ordersOfCustomers
                    .computeIfAbsent(exchange.getRequestHeaders().getFirst("baton-key"), customer -> new ArrayList<>())
                    .add(order);
        }
        return true;
    }
}
