package org.pgbaton.spring.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.pgbaton.spring.Applications;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.support.DelegatingEventExternalizer;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** With all of Spring Modulith's events: its own configuration is used, and its own externalizer refused. */
@BatonTest
class ModulithsExternalizerTest {
    /** Its configuration of externalization, without the registry, which would want a table. */
    private static final String WITHOUT_REGISTRY = "spring.autoconfigure.exclude=" + Applications.excluded("none")
            + ",org.springframework.modulith.events.config.EventPublicationAutoConfiguration";

    /** With target and key. */
    @Externalized("orders::#{id()}")
    public record OrderPlaced(String id) {}

    @Configuration
    static class ExternalizerOfModulith {
        @SuppressWarnings("removal") // it is what Modulith 1.4 has
        @Bean
        DelegatingEventExternalizer kafkaEventExternalizer(EventExternalizationConfiguration configuration) {
            return new DelegatingEventExternalizer(
                    configuration, (target, payload) -> CompletableFuture.completedFuture(null));
        }
    }

    @Test
    void aSecondExternalizerFailsTheStart(TestDatabase database) {
        assertThatThrownBy(
                        () -> Applications.start(database, List.of(WITHOUT_REGISTRY), ExternalizerOfModulith.class))
                .hasStackTraceContaining("Events would be externalized twice")
                .hasStackTraceContaining("'kafkaEventExternalizer'");
        Applications.start(
                        database,
                        List.of(WITHOUT_REGISTRY, "baton.modulith.enabled=false"),
                        ExternalizerOfModulith.class)
                .close();
    }

    @Test
    void anEventHasOneMessage(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = Applications.start(database, List.of(WITHOUT_REGISTRY))) {
            assertThat(context.getBeanNamesForType(EventExternalizationConfiguration.class))
                    .containsExactly("eventExternalizationConfiguration");
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> context.publishEvent(new OrderPlaced("o-1")));
        }
        assertThat(database.one("SELECT string_agg(topic || ' ' || key, ',') FROM baton.outbox"))
                .isEqualTo("orders o-1");
    }
}
