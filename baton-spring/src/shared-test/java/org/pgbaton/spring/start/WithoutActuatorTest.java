package org.pgbaton.spring.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
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
import org.springframework.util.ClassUtils;

/** Run on a class path without Actuator and without Micrometer's meters. */
@BatonTest
class WithoutActuatorTest {
    /** Keeps what it got. */
    static class Listening {
        private final Queue<String> seen = new ConcurrentLinkedQueue<>();

        @BatonListener(subscription = "balances")
        void on(Message message) {
            seen.add(message.key());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Bank {
        @Bean
        Listening listening() {
            return new Listening();
        }
    }

    @Test
    void anApplicationWithoutActuatorAppendsAndListens(TestDatabase database) throws Exception {
        for (String absent : List.of(
                "org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint",
                "org.springframework.boot.health.contributor.HealthIndicator",
                "io.micrometer.core.instrument.MeterRegistry")) {
            assertThat(ClassUtils.isPresent(absent, null)).as(absent).isFalse();
        }
        try (ConfigurableApplicationContext context = Applications.start(database, List.of(), Bank.class)) {
            context.getBean(EventLog.class).appendNow(Draft.json("{}").key("k"));
            database.drain("balances", Duration.ofSeconds(60));
            assertThat(context.getBean(Listening.class).seen).containsExactly("k");
            assertThat(database.one("SELECT count(*) FROM baton.events WHERE headers IS NULL"))
                    .isEqualTo("1");
        }
    }
}
