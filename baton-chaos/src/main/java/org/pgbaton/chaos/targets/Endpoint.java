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
public final class Endpoint implements Target {
    private final Part part;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final Front front;
    private final List<Arrival> arrivals = new ArrayList<>();
    private volatile int answer = 204;
    private volatile Set<String> refused = Set.of();
    private volatile CountDownLatch silence = new CountDownLatch(0);
    private volatile int lateMillis;

    /** @param part what sends to it */
    Endpoint(Part part) throws IOException {
        this.part = part;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
        front = new Front(server.getAddress());
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            int status = refused.contains(header(exchange, "baton-key")) ? 500 : answer;
            if (status < 300) {
                synchronized (arrivals) {
                    arrivals.add(new Arrival(
                            part.subscription(),
                            header(exchange, "baton-key"),
                            header(exchange, "webhook-id"),
                            Long.parseLong(header(exchange, "baton-epoch"))));
                }
            }
            silence.await();
            Thread.sleep(lateMillis);
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
        return part;
    }

    @Override
    public String address() {
        return "http://127.0.0.1:" + front.port() + "/";
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

    /** Takes what arrives from now on, and says so after that time. */
    public void answerAfter(int millis) {
        lateMillis = millis;
    }

    /**
     * Takes what arrives from now on, and resets the connection in the middle of the answer.
     *
     * @param nth 1: of each answer, 2: of every other; 0: of none
     */
    public void resetEvery(int nth) {
        front.resetEvery(nth);
    }

    @Override
    public void close() {
        silence.countDown();
        front.close();
        server.stop(0);
        threads.shutdownNow();
    }
}
