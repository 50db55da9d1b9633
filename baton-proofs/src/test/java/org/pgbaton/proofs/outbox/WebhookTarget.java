package org.pgbaton.proofs.outbox;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server in this JVM. It answers at once, unless it is told to delay its answers. */
final class WebhookTarget implements TradeTarget {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final List<Receipt> receipts = new ArrayList<>();
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final Map<String, Duration> slowKeys = new ConcurrentHashMap<>();
    private final AtomicInteger ofPortfolios = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile Duration takes = Duration.ZERO;
    private volatile CountDownLatch silence = new CountDownLatch(0);
    private volatile boolean away;

    WebhookTarget() throws IOException {
        topics.add("trades");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            Thread.sleep(
                    slowKeys.getOrDefault(header(exchange, "baton-key"), takes).toMillis());
            int answer = answer(exchange);
            unanswered.incrementAndGet();
            silence.await();
            unanswered.decrementAndGet();
            exchange.sendResponseHeaders(answer, -1);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private int answer(HttpExchange exchange) {
        if (away) {
            refused.incrementAndGet();
            return 503;
        }
        if (!topics.contains(header(exchange, "baton-topic"))) {
            return 422;
        }
        Receipt receipt = new Receipt(
                header(exchange, "baton-key"),
                header(exchange, "webhook-id"),
                Long.parseLong(header(exchange, "baton-epoch")));
        synchronized (receipts) {
            receipts.add(receipt);
        }
        if (receipt.key().startsWith("P")) {
            ofPortfolios.incrementAndGet();
        }
        return 204;
    }

    private static String header(HttpExchange exchange, String name) {
        return String.valueOf(exchange.getRequestHeaders().getFirst(name));
    }

    /** The delay of each answer. */
    void takes(Duration time) {
        takes = time;
    }

    void takes(String key, Duration time) {
        slowKeys.put(key, time);
    }

    /** Messages that it did not take because it was away. */
    int refused() {
        return refused.get();
    }

    /** Arrivals whose key is an ordinary one. */
    int ofPortfolios() {
        return ofPortfolios.get();
    }

    @Override
    public TradeRelayProgram.To kind() {
        return TradeRelayProgram.To.WEBHOOK;
    }

    @Override
    public String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/trades";
    }

    @Override
    public void alsoTake(String topic) {
        topics.add(topic);
    }

    @Override
    public void fallSilent() {
        silence = new CountDownLatch(1);
    }

    @Override
    public long unanswered() {
        return unanswered.get();
    }

    @Override
    public void answerAgain() {
        silence.countDown();
    }

    @Override
    public void goAway() {
        away = true;
    }

    @Override
    public void comeBack() {
        away = false;
    }

    @Override
    public int count() {
        synchronized (receipts) {
            return receipts.size();
        }
    }

    @Override
    public List<Receipt> receipts() {
        synchronized (receipts) {
            return List.copyOf(receipts);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
