package org.pgbaton.server.demo;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.List;
import tools.jackson.databind.ObjectMapper;

/** A webhook in the process of the demo. */
final class WebhookReceiver implements DemoTarget {
    private final Arrivals arrivals = new Arrivals("trades");
    private final ObjectMapper json = new ObjectMapper();
    private final LocalHttpServer endpoint = new LocalHttpServer();
    private final String url = endpoint.handle("/trades", this::receive);

    WebhookReceiver() throws IOException {}

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
        return List.of("--webhook", url);
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
        endpoint.close();
    }
}
