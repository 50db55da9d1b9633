package org.pgbaton.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.EventLog;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** One trace from the request that appends, through the message, to the listener, with Boot's own tracing. */
@BatonTest
class TracingTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String FOREIGN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    /** Fails once for some. */
    static class Listening {
        private final Queue<String> failed = new ConcurrentLinkedQueue<>();

        @BatonListener(subscription = "balances")
        void on(Message message) {
            if (message.key().equals("bad") && failed.isEmpty()) {
                failed.add(message.key());
                throw new IllegalArgumentException("the first time");
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
        SpanExporter exporter() {
            return InMemorySpanExporter.create();
        }
    }

    @Test
    void theListenersSpanContinuesTheTraceOfTheAppend(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(database)) {
            EventLog events = context.getBean(EventLog.class);
            Observation.createNotStarted("request", context.getBean(ObservationRegistry.class))
                    .observe(() -> events.appendNow(
                            Draft.json("{}").key("k").headers(Map.of("tenant", "7")).payloadVersion(2)));
            SpanData listener = span(context, "balances process");
            SpanData append = span(context, "events append");
            SpanData request = span(context, "request");
            assertThat(append.getParentSpanId()).isEqualTo(request.getSpanId());
            assertThat(listener.getParentSpanId()).isEqualTo(append.getSpanId());
            assertThat(listener.getTraceId()).isEqualTo(request.getTraceId());
            assertThat(database.one("SELECT headers->>'tenant' || ' ' || (headers->>'payload-version') || ' '"
                            + " || (headers->>'traceparent') FROM baton.events"))
                    .startsWith("7 2 00-" + append.getTraceId() + "-" + append.getSpanId() + "-");
        }
    }

    @Test
    void aTraceThatTheMessageBringsIsKept(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(database)) {
            context.getBean(EventLog.class)
                    .appendNow(Draft.json("{}").key("k").headers(Map.of("traceparent", FOREIGN)));
            assertThat(span(context, "balances process").getParentSpanId()).isEqualTo("b7ad6b7169203331");
        }
    }

    @Test
    void aFailedCallIsASpanWithItsError(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(database)) {
            context.getBean(EventLog.class).appendNow(Draft.json("{}").key("bad"));
            SpanData failed = span(context, "balances process");
            assertThat(failed.getEvents()).hasSize(1);
            assertThat(failed.getEvents().get(0).getAttributes().asMap().values())
                    .contains("the first time");
            database.drain("balances", SOON);
        }
    }

    private static ConfigurableApplicationContext start(TestDatabase database) {
        return Applications.start(
                database,
                List.of("management.tracing.sampling.probability=1.0", "management.tracing.export.enabled=true"),
                Bank.class);
    }

    /** The first span of that name, when it has ended. */
    private static SpanData span(ConfigurableApplicationContext context, String name) {
        InMemorySpanExporter exporter = context.getBean(InMemorySpanExporter.class);
        SdkTracerProvider provider = context.getBean(SdkTracerProvider.class);
        await().atMost(SOON).until(() -> {
            provider.forceFlush().join(10, java.util.concurrent.TimeUnit.SECONDS);
            return exporter.getFinishedSpanItems().stream()
                    .anyMatch(each -> each.getName().equals(name));
        });
        return exporter.getFinishedSpanItems().stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
