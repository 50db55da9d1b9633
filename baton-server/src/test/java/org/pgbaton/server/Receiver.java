package org.pgbaton.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** A real HTTP server that remembers what it gets. It answers 204, or what it is told to. */
final class Receiver implements AutoCloseable {
    record Received(String path, Map<String, String> headers, String body) {
        @Nullable
        String header(String name) {
            return headers.get(name);
        }

        String key() {
            return String.valueOf(header("baton-key"));
        }

        long position() {
            return Long.parseLong(String.valueOf(header("baton-position")));
        }
    }

    private final List<Received> all = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private volatile ToIntFunction<Received> answer = received -> 204;

    private Receiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::receive);
        server.start();
    }

    static Receiver start() throws IOException {
        return new Receiver();
    }

    /** May block: then the sender waits. */
    void answer(ToIntFunction<Received> status) {
        this.answer = status;
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            Map<String, String> headers = new LinkedHashMap<>();
            exchange.getRequestHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), values.get(0)));
            Received received = new Received(
                    exchange.getRequestURI().getPath(),
                    headers,
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            all.add(received);
            exchange.sendResponseHeaders(answer.applyAsInt(received), -1);
        }
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    List<Received> all() {
        return List.copyOf(all);
    }

    List<Received> at(String path) {
        return all.stream().filter(each -> each.path.equals(path)).toList();
    }

    /** The positions of each key, in the order in which they came for the first time. */
    Map<String, List<Long>> firstDeliveries() {
        Map<String, List<Long>> keys = new LinkedHashMap<>();
        for (Received each : all) {
            List<Long> positions = keys.computeIfAbsent(each.key(), key -> new ArrayList<>());
            if (!positions.contains(each.position())) {
                positions.add(each.position());
            }
        }
        return keys;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
