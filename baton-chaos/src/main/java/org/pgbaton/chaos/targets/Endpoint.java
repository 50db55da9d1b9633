package org.pgbaton.chaos.targets;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.pgbaton.chaos.worker.Part;

/** Takes webhooks, and writes down what arrives before it answers. Thread-safe. */
final class Endpoint implements Target {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final List<Arrival> arrivals = new ArrayList<>();
    private volatile int answer = 204;
    private volatile Set<String> refused = Set.of();
    private volatile CountDownLatch silence = new CountDownLatch(0);

    Endpoint() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            int status = refused.contains(header(exchange, "baton-key")) ? 500 : answer;
            if (status < 300) {
                synchronized (arrivals) {
                    arrivals.add(new Arrival(
                            Part.WEBHOOK.subscription(),
                            header(exchange, "baton-key"),
                            header(exchange, "webhook-id"),
                            Long.parseLong(header(exchange, "baton-epoch"))));
                }
            }
            silence.await();
            exchange.sendResponseHeaders(status, -1);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private static String header(HttpExchange exchange, String name) {
        return String.valueOf(exchange.getRequestHeaders().getFirst(name));
    }

    @Override
    public Part part() {
        return Part.WEBHOOK;
    }

    @Override
    public String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @Override
    public long count() {
        synchronized (arrivals) {
            return arrivals.size();
        }
    }

    @Override
    public List<Arrival> arrivals() {
        synchronized (arrivals) {
            return List.copyOf(arrivals);
        }
    }

    /** What arrives from now on is taken and not answered. */
    @Override
    public void fallSilent() {
        silence = new CountDownLatch(1);
    }

    @Override
    public void answerAgain() {
        silence.countDown();
    }

    @Override
    public void refuse(Set<String> keys) {
        refused = Set.copyOf(keys);
    }

    @Override
    public void goAway() {
        answer = 503;
    }

    @Override
    public void comeBack() {
        answer = 204;
    }

    @Override
    public void close() {
        silence.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
