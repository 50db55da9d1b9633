package org.pgbaton.spring.actuator;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.spring.Applications;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with Actuator, asked over HTTP. */
record WebApplication(ConfigurableApplicationContext context) implements AutoCloseable {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    static WebApplication start(TestDatabase database, List<String> properties, Class<?>... sources) {
        List<String> all = new ArrayList<>(List.of(
                "spring.main.web-application-type=servlet",
                "server.port=0",
                "management.endpoints.web.exposure.include=health,baton",
                "management.endpoint.health.show-details=always",
                "management.endpoint.health.probes.enabled=true"));
        all.addAll(properties);
        return new WebApplication(Applications.start(database, all, sources));
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(path)).build());
    }

    HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build());
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port") + "/actuator/"
                + path);
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        context.close();
    }
}
