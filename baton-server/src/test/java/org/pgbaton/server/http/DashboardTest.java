package org.pgbaton.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The dashboard and its API over HTTP: who gets in, who may act, that nothing becomes HTML, and that OpenAPI is true. */
@BatonTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DashboardTest {
    private static final String OLGA = DashboardWorld.basic("olga", "open sesame");
    private static final String RITA = DashboardWorld.basic("rita", "just looking");
    private static final List<String> PAGES = List.of(
            "/",
            "/subscriptions",
            "/subscription?name=balances",
            "/parked",
            "/messages?q=ACC-1042",
            "/leaders",
            "/relays",
            "/captures",
            "/actions");

    private DashboardWorld world;

    @BeforeAll
    void open(TestDatabase database) throws Exception {
        world = new DashboardWorld(database, "/ops");
    }

    @AfterAll
    void close() throws Exception {
        world.close();
    }

    @Test
    void whoDoesNotLogInSeesNothing() throws Exception {
        for (String path :
                List.of("/ops/", "/ops/parked", "/ops/api/v1/status", "/ops/live?view=/", "/ops/assets/dashboard.js")) {
            assertThat(world.send(path, null).statusCode()).as(path).isEqualTo(401);
            assertThat(world.send(path, null, "Authorization", DashboardWorld.basic("olga", "wrong"))
                            .statusCode())
                    .as(path)
                    .isEqualTo(401);
        }
        assertThat(world.send("/ops/", null)
                        .headers()
                        .firstValue("WWW-Authenticate")
                        .orElse(""))
                .startsWith("Basic ");
        assertThat(world.send("/ops/api/v1/status", null, "Authorization", "Bearer wrong")
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void nobodyWaitsForAFormOfSomebodyWhoHasNotLoggedIn() throws Exception {
        String answer = promised("/ops/act", "X-Nobody: 1", Duration.ofSeconds(3));
        assertThat(answer).startsWith("HTTP/1.1 401 ");
    }

    @Test
    void aFormThatDoesNotComeIsGivenUp() throws Exception {
        long begin = System.nanoTime();
        promised("/ops/act", "Authorization: " + OLGA, Duration.ofSeconds(15));
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isBetween(Duration.ofSeconds(4), Duration.ofSeconds(12));
    }

    /** Promises a form, sends a part of it, and reads until the server hangs up; fails if nothing comes in that time. */
    private String promised(String path, String header, Duration atMost) throws Exception {
        URI server = URI.create(world.url());
        try (Socket socket = new Socket(server.getHost(), server.getPort())) {
            socket.setSoTimeout((int) atMost.toMillis());
            socket.getOutputStream()
                    .write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + header
                                    + "\r\nContent-Type: application/x-www-form-urlencoded"
                                    + "\r\nContent-Length: 1000\r\n\r\naction=")
                            .getBytes(StandardCharsets.UTF_8));
            byte[] answer = new byte[4096];
            int read = socket.getInputStream().read(answer);
            return read < 0 ? "" : new String(answer, 0, read, StandardCharsets.UTF_8);
        }
    }

    @Test
    void aStreamIsForThoseWhoReadIt() throws Exception {
        HttpRequest head = HttpRequest.newBuilder(URI.create(world.url() + "/live?view=/"))
                .header("Authorization", RITA)
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(10))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(head, HttpResponse.BodyHandlers.discarding())
                        .statusCode())
                .isEqualTo(405);
    }

    @Test
    void manySlowLookUpsDoNotKeepOthersFromLooking(TestDatabase database) throws Exception {
        List<CompletableFuture<String>> slow = new ArrayList<>();
        try (Connection locking = database.connect()) {
            locking.setAutoCommit(false);
            try (Statement lock = locking.createStatement()) {
                lock.execute("LOCK TABLE " + world.baton().schema() + ".action");
            }
            for (int i = 0; i < 7; i++) {
                slow.add(CompletableFuture.supplyAsync(() -> body("/ops/api/v1/actions"), task -> {
                    Thread thread = new Thread(task);
                    thread.setDaemon(true);
                    thread.start();
                }));
            }
            assertThat(json("/status").get("subscriptions").isEmpty()).isFalse();
            List<String> answers = slow.stream().map(CompletableFuture::join).toList();
            assertThat(answers).allMatch(answer -> answer.contains("error"));
            assertThat(answers)
                    .filteredOn(answer -> answer.contains("Too many look-ups at once"))
                    .hasSize(3);
            locking.rollback();
        }
        assertThat(json("/actions").get("actions").isEmpty()).isFalse();
    }

    @Test
    void aSkipIsShownForItsTargetOnly(TestDatabase database) throws Exception {
        await().until(() -> json("/messages?q=ACC-5").get("messages").size() > 0);
        String position =
                json("/messages?q=ACC-5").get("messages").get(0).get("position").asString();
        skip(database, "message " + position + " of key 'ACC-5', target 'v2'");
        assertThat(json("/messages?q=" + position).toString()).contains("ACC-5").doesNotContain("skipped by");
        skip(database, "message " + position + " of key 'ACC-5'");
        assertThat(json("/messages?q=" + position).toString()).contains("skipped by olga");
    }

    private void skip(TestDatabase database, String detail) throws Exception {
        database.execute("INSERT INTO " + world.baton().schema() + ".action (who, what, subject, detail)"
                + " VALUES ('olga', 'skip', 'balances', '" + detail.replace("'", "''") + "')");
    }

    private String body(String path) {
        try {
            return world.send(path, null, "Authorization", OLGA).body();
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Test
    void anEmptyTargetIsATargetAndNoTargetIsTheLiveOne() throws Exception {
        String robot = "Bearer " + DashboardWorld.TOKEN;
        for (String target : List.of("", "&target=")) {
            assertThat(json("/actions/retry?subscription=balances&key=ACC-1042" + target)
                            .get("impact")
                            .asString())
                    .startsWith("Message ");
            assertThat(json("/actions/retry-all?subscription=balances" + target)
                            .get("impact")
                            .asString())
                    .startsWith("This tries 3 keys ");
        }
        assertThat(world.send(
                                "/ops/api/v1/actions/retry-all?subscription=balances&target=v2",
                                null,
                                "Authorization",
                                robot)
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void aTrustedProxySaysWhoItIs() throws Exception {
        assertThat(world.send("/ops/", null, "X-Forwarded-User", "oscar").body())
                .contains("You are oscar, and may act.");
        assertThat(world.send("/ops/", null, "X-Forwarded-User", "paula").body())
                .contains("You are paula, who may look.");
    }

    @Test
    void everyPageIsThereForEverybodyWithAllSecurityHeaders() throws Exception {
        for (String page : PAGES) {
            for (String who : List.of(OLGA, RITA)) {
                HttpResponse<String> answer = world.send("/ops" + page, null, "Authorization", who);
                assertThat(answer.statusCode()).as(page).isEqualTo(200);
                assertThat(answer.headers()
                                .firstValue("Content-Security-Policy")
                                .orElse(""))
                        .contains("default-src 'none'", "script-src 'self'")
                        .doesNotContain("unsafe");
                assertThat(answer.headers().firstValue("X-Frame-Options")).contains("DENY");
                assertThat(answer.body()).doesNotContain("style=\"").doesNotContainPattern("<script(?! src=)");
            }
        }
        assertThat(world.send("/ops/nothing", null, "Authorization", OLGA).statusCode())
                .isEqualTo(404);
    }

    @Test
    void whatIsHostileStaysText() throws Exception {
        String parked = world.send("/ops/parked", null, "Authorization", OLGA).body();
        assertThat(parked).contains("&lt;img src=x onerror=").doesNotContain("<img src=x");
        String message = world.send("/ops/messages?q=" + encoded(DashboardWorld.HOSTILE), null, "Authorization", OLGA)
                .body();
        assertThat(message).contains("&lt;script&gt;document.title").doesNotContain("<script>document");
    }

    @Test
    void aReaderSeesNoPayloadAndCannotAct() throws Exception {
        String message = world.send("/ops/messages?q=ACC-1042", null, "Authorization", RITA)
                .body();
        assertThat(message)
                .contains("The payload is hidden from you.")
                .doesNotContain("poison")
                .doesNotContain("Redact");
        assertThat(world.send("/ops/api/v1/messages?q=ACC-1042", null, "Authorization", RITA)
                        .body())
                .doesNotContain("poison");
        HttpResponse<String> refused = world.send(
                "/ops/api/v1/actions/pause", "subscription=balances", "Authorization", RITA, "X-Baton-Csrf", "1");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("needs the role of an operator");
        assertThat(world.send("/ops/confirm?action=pause&subscription=balances", null, "Authorization", RITA)
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void anotherSiteCannotActThroughABrowser() throws Exception {
        String form = "action=resume&subscription=mails&reason=evil";
        assertThat(world.send("/ops/act", form, "Authorization", OLGA).statusCode())
                .isEqualTo(403);
        assertThat(world.send("/ops/act", form + "&csrf=1", "Authorization", OLGA, "Cookie", "baton_csrf=2")
                        .statusCode())
                .isEqualTo(403);
        assertThat(world.send(
                                "/ops/api/v1/actions/resume",
                                form,
                                "Authorization",
                                "Bearer " + DashboardWorld.TOKEN,
                                "Sec-Fetch-Site",
                                "cross-site")
                        .statusCode())
                .isEqualTo(403);
        assertThat(world.send("/ops/stage?worker=alpha&deed=kill", "", "Authorization", OLGA)
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void whatAnOperatorDoesIsStatedBeforeAndRecorded() throws Exception {
        String robot = "Bearer " + DashboardWorld.TOKEN;
        assertThat(json("/actions/pause?subscription=balances").get("impact").asString())
                .startsWith("Its 3 members begin nothing new");
        assertThat(world.send(
                                "/ops/api/v1/actions/pause",
                                "subscription=balances&reason=a+test",
                                "Authorization",
                                robot)
                        .body())
                .contains("Subscription 'balances' is paused.");
        assertThat(world.send("/ops/api/v1/actions/resume", "subscription=balances&reason=over", "Authorization", robot)
                        .statusCode())
                .isEqualTo(200);
        JsonNode action = json("/actions?limit=2").get("actions").get(1);
        assertThat(action.get("who").asString()).isEqualTo("robot (dashboard)");
        assertThat(action.get("reason").asString()).isEqualTo("a test");

        HttpResponse<String> nothing =
                world.send("/ops/api/v1/actions/skip", "subscription=balances&key=ACC-2077", "Authorization", robot);
        assertThat(nothing.statusCode()).isEqualTo(400);
        assertThat(nothing.body()).contains("A reason is needed");
        assertThat(world.send("/ops/api/v1/actions/pause", "subscription=nothing", "Authorization", robot)
                        .statusCode())
                .isEqualTo(409);
        assertThat(world.send("/ops/api/v1/actions/dance", "", "Authorization", robot)
                        .statusCode())
                .isEqualTo(404);
    }

    /** Every GET that the document describes is asked, and its answer is what the document says, no more and no less. */
    @Test
    void theOpenApiDocumentIsTrue() throws Exception {
        JsonNode document = JsonMapper.shared()
                .readTree(world.send("/ops/api/v1/openapi.json", null, "Authorization", OLGA)
                        .body());
        await().until(() -> !json("/takeovers").get("takeovers").isMissingNode());
        String head = json("/parked").get("keys").get(0).get("head").asString();
        Map<String, String> parameters = Map.of(
                "/subscription", "?name=balances",
                "/messages", "?q=ACC-1042",
                "/actions/retry", "?subscription=balances&key=ACC-1042",
                "/actions/skip",
                        "?subscription=balances&key="
                                + encoded(json("/parked")
                                        .get("keys")
                                        .get(0)
                                        .get("key")
                                        .asString()) + "&position=" + head,
                "/actions/redact", "?log=events&position=1");
        List<String> asked = new ArrayList<>();
        for (String path : new TreeSet<>(document.get("paths").propertyNames())) {
            String query = parameters.getOrDefault(
                    path, path.startsWith("/actions/") ? "?subscription=balances&capture=none" : "");
            JsonNode schema = document.at("/paths").get(path).at("/get/responses/200/content/application~1json/schema");
            assertThat(validator(document, schema).validate(json(path + query)))
                    .as(path)
                    .isEmpty();
            asked.add(path);
        }
        assertThat(asked).hasSizeGreaterThan(20);
    }

    private static Schema validator(JsonNode document, JsonNode schema) {
        ObjectNode whole = schema.deepCopy().asObject();
        whole.set("components", document.get("components"));
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(whole);
    }

    private JsonNode json(String path) throws Exception {
        HttpResponse<String> answer = world.send("/ops/api/v1" + path, null, "Authorization", OLGA);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(answer.body());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
