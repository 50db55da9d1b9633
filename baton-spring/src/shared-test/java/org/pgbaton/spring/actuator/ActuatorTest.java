package org.pgbaton.spring.actuator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.EventLog;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What operators see of an application over HTTP, and what they can do. */
@BatonTest
class ActuatorTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** Two that work, in trouble if they are told so. */
    static class Listening {
        @BatonListener(subscription = "balances", order = MessageOrder.TOTAL)
        void on(Message message) {}

        @BatonListener(
                subscription = "troubled",
                stopOn = IllegalStateException.class,
                parkOn = IllegalArgumentException.class)
        void trouble(Message message) {
            if (message.key().equals("stop")) {
                throw new IllegalStateException("the ledger is closed");
            }
            if (message.key().equals("park")) {
                throw new IllegalArgumentException("not a deposit");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Bank {
        @Bean
        Listening listening() {
            return new Listening();
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    @Test
    void aStandbyIsUp(TestDatabase database) throws Exception {
        try (WebApplication first = WebApplication.start(database, List.of(), Bank.class)) {
            waitFor(first, "baton/subscriptions/balances", "\"state\":\"running\"");
            try (WebApplication second = WebApplication.start(database, List.of(), Bank.class)) {
                waitFor(second, "baton/subscriptions/balances", "\"state\":\"standby\"");
                HttpResponse<String> answer = second.get("health");
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.body()).startsWith("{").contains("\"balances\":", "\"start\":{\"status\":\"UP\"");
                assertThat(second.get("health/readiness").statusCode()).isEqualTo(200);
            }
        }
    }

    @Test
    void aSubscriptionThatStoppedSaysWhyAndReadinessDoesNotDependOnIt(TestDatabase database) throws Exception {
        try (WebApplication application = WebApplication.start(
                database,
                List.of("management.endpoint.health.group.readiness.include=readinessState,baton/start"),
                Bank.class)) {
            application.context().getBean(EventLog.class).appendNow("stop", new Deposited(1));
            waitFor(application, "baton/subscriptions/troubled", "\"status\":\"DOWN\"");
            HttpResponse<String> health = application.get("health/baton");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body()).contains("the ledger is closed");
            assertThat(application.get("health/baton/subscriptions/balances").body()).contains("UP");
            HttpResponse<String> readiness = application.get("health/readiness");
            assertThat(readiness.statusCode()).isEqualTo(200);
            assertThat(readiness.body()).contains("\"start\"").doesNotContain("troubled");
            assertThat(application.get("health/liveness").statusCode()).isEqualTo(200);
        }
    }

    /** An event. */
    record Deposited(int amount) {}

    @Test
    void theEndpointSaysWhatStatusSaysAndNobodyCanActUnlessAllowed(TestDatabase database) throws Exception {
        try (WebApplication application = WebApplication.start(database, List.of(), Bank.class)) {
            waitFor(application, "baton/subscriptions/balances", "\"state\":\"running\"");
            HttpResponse<String> status = application.get("baton");
            assertThat(status.statusCode()).isEqualTo(200);
            assertThat(status.body())
                    .contains("\"leaderships\":[")
                    .contains("\"name\":\"balances\"", "\"order\":\"total\"", "\"lanesOwned\":1", "\"createdAt\":\"20");
            assertThat(application.get("baton/nonsense").statusCode()).isEqualTo(404);
            assertThat(application
                            .post("baton/balances", "{\"action\":\"pause\",\"reason\":\"test\"}")
                            .statusCode())
                    .isEqualTo(405);
            assertThat(database.one("SELECT state FROM baton.subscription_status WHERE name = 'balances'"))
                    .isEqualTo("running");
        }
    }

    @Test
    void operatorsPauseResumeRetryAndSkip(TestDatabase database) throws Exception {
        try (WebApplication application = WebApplication.start(
                database, List.of("management.endpoint.baton.access=unrestricted"), Bank.class)) {
            act(application, "balances", "\"action\":\"pause\"", 200, "paused");
            waitFor(application, "baton/subscriptions/balances", "\"state\":\"paused\"");
            assertThat(application.get("health/baton").statusCode()).isEqualTo(200);
            act(application, "balances", "\"action\":\"resume\"", 200, "resumed");
            waitFor(application, "baton/subscriptions/balances", "\"state\":\"running\"");

            long position = application
                    .context()
                    .getBean(EventLog.class)
                    .appendNow("park", new Deposited(1))
                    .position();
            database.drainExceptParked("troubled", SOON);
            assertThat(application.get("baton/troubled").body())
                    .contains("\"key\":\"park\"", "not a deposit", "\"position\":" + position);
            act(application, "troubled", "\"action\":\"retry\",\"key\":\"park\"", 200, "retried");
            act(application, "troubled", "\"action\":\"retry\",\"key\":\"other\"", 404, "is not parked");
            database.drainExceptParked("troubled", SOON);
            act(application, "troubled", "\"action\":\"skip\",\"key\":\"park\"", 400, "its position");
            act(
                    application,
                    "troubled",
                    "\"action\":\"skip\",\"key\":\"park\",\"position\":" + position,
                    200,
                    "skipped");
            database.drain("troubled", SOON);

            act(application, "troubled", "\"action\":\"explode\"", 400, "pause, resume, retry or skip");
            act(application, "nonsense", "\"action\":\"pause\"", 404, "no subscription 'nonsense'");
            assertThat(database.one("SELECT string_agg(DISTINCT reason, '|') FROM baton.action"))
                    .isEqualTo("a test (through Actuator)");
        }
    }

    private static void act(WebApplication application, String subscription, String what, int status, String says)
            throws Exception {
        HttpResponse<String> answer =
                application.post("baton/" + subscription, "{" + what + ",\"reason\":\"a test\"}");
        assertThat(answer.body()).contains(says);
        assertThat(answer.statusCode()).isEqualTo(status);
    }

    private static void waitFor(WebApplication application, String path, String text) {
        await().atMost(SOON)
                .untilAsserted(() ->
                        assertThat(application.get("health/" + path).body()).contains(text));
    }

    @Test
    void metersAreBoundToTheRegistry(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = Applications.start(database, List.of(), Bank.class)) {
            context.getBean(EventLog.class).appendNow("k", new Deposited(1));
            database.drain("balances", SOON);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(meters.get("baton.subscription.handled")
                                    .tag("subscription", "balances")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1));
            assertThat(meters.get("baton.listener")
                            .tag("subscription", "balances")
                            .tag("log", "events")
                            .tag("error", "none")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(meters.get("baton.append").tag("log", "events").timer().count())
                    .isEqualTo(1);
        }
    }
}
