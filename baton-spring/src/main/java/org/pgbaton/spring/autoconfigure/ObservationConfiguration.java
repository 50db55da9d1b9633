package org.pgbaton.spring.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import org.pgbaton.spring.AppendObserver;
import org.pgbaton.spring.listener.ListenerObserver;
import org.pgbaton.spring.observation.ObservedAppends;
import org.pgbaton.spring.observation.ObservedListeners;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Observes appends and listeners, if the application has an {@link ObservationRegistry}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ObservationRegistry.class)
class ObservationConfiguration {
    @Bean
    @ConditionalOnMissingBean
    AppendObserver batonAppendObserver(ObjectProvider<ObservationRegistry> registry) {
        return new ObservedAppends(registry.getIfUnique(() -> ObservationRegistry.NOOP));
    }

    @Bean
    @ConditionalOnMissingBean
    ListenerObserver batonListenerObserver(ObjectProvider<ObservationRegistry> registry) {
        return new ObservedListeners(registry.getIfUnique(() -> ObservationRegistry.NOOP));
    }
}
