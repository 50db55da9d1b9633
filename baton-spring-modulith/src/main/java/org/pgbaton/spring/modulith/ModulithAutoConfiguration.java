package org.pgbaton.spring.modulith;

import org.pgbaton.spring.Outbox;
import org.pgbaton.spring.autoconfigure.BatonAutoConfiguration;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.modulith.events.EventExternalizationConfiguration;

/**
 * Sends by the outbox what Spring Modulith would externalize. Modulith's annotations are enough: its event publication registry, and the
 * module that configures it, may be absent.
 */
@AutoConfiguration(
        after = BatonAutoConfiguration.class,
        afterName = "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration")
@ConditionalOnClass(EventExternalizationConfiguration.class)
@ConditionalOnBean(Outbox.class)
@ConditionalOnProperty(
        name = {"baton.modulith.enabled", "spring.modulith.events.externalization.enabled"},
        matchIfMissing = true)
public class ModulithAutoConfiguration {
    /** Public for Spring. */
    public ModulithAutoConfiguration() {}

    /** What Modulith makes if its registry is there. */
    @Bean
    @ConditionalOnMissingBean
    EventExternalizationConfiguration batonExternalizationConfiguration(BeanFactory beans) {
        return EventExternalizationConfiguration.defaults(AutoConfigurationPackages.get(beans))
                .build();
    }

    @Bean
    @ConditionalOnMissingBean
    ExternalizedEvents batonExternalizedEvents(
            EventExternalizationConfiguration configuration, Outbox outbox, ListableBeanFactory beans) {
        return new ExternalizedEvents(configuration, outbox, beans);
    }

    @Bean
    OnlyExternalizer batonOnlyExternalizer(ListableBeanFactory beans) {
        return new OnlyExternalizer(beans);
    }
}
