package org.pgbaton.server.serve;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Serves a few pages over HTTP, for reading only. Uses the HTTP server of the JDK with few threads, and limits the number and the time of
 * requests, so that clients cannot hold up the process.
 */
final class HttpPages implements AutoCloseable {
    private static final int THREADS = 4;

    /** The answer to a request for a path. */
    record Answer(int status, String type, String body) {}

    private final HttpServer server;
    private final ExecutorService threads;

    private HttpPages(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /** @throws ListenException if the address is unknown or in use */
    static HttpPages listen(String address, int port, Map<String, Supplier<Answer>> pages) {
        // The server reads these properties once. Without them it has no limits.
        limit("sun.net.httpserver.maxReqTime", 10);
        limit("sun.net.httpserver.maxRspTime", 30);
        limit("jdk.httpserver.maxConnections", 100);
        AtomicInteger count = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "baton-http-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName(address), port), 0);
            server.setExecutor(threads);
            server.createContext("/", exchange -> answer(exchange, pages));
            server.start();
            return new HttpPages(server, threads);
        } catch (UnknownHostException unknown) {
            throw new ListenException("The HTTP address '" + address
                    + "' is unknown here: give 127.0.0.1, 0.0.0.0 or an " + "address of this machine.");
        } catch (IOException taken) {
            throw new ListenException("Cannot listen on " + address + ":" + port + ": " + taken.getMessage()
                    + ". Choose another port with --http-port, or 0 for none.");
        }
    }

    private static void limit(String property, int value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, Integer.toString(value));
        }
    }

    private static void answer(HttpExchange exchange, Map<String, Supplier<Answer>> pages) throws IOException {
        try (exchange) {
            Supplier<Answer> page = pages.get(exchange.getRequestURI().getPath());
            String method = exchange.getRequestMethod();
            if (page == null) {
                send(exchange, new Answer(404, "text/plain", "There are " + String.join(", ", pages.keySet()) + ".\n"));
            } else if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, new Answer(405, "text/plain", "Only GET.\n"));
            } else {
                send(exchange, page.get());
            }
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", answer.type + "; charset=utf-8");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        boolean withBody = !exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(answer.status, withBody ? body.length : -1);
        if (withBody) {
            exchange.getResponseBody().write(body);
        }
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
