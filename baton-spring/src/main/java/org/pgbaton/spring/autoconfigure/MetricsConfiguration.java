package org.pgbaton.spring.autoconfigure;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.pgbaton.Baton;
import org.pgbaton.micrometer.BatonMetrics;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Baton's meters. Boot binds them to the application's registries. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({MeterBinder.class, BatonMetrics.class})
class MetricsConfiguration {
    @Bean
    @ConditionalOnMissingBean
    BatonMetrics batonMetrics(Baton baton) {
        return new BatonMetrics(baton);
    }
}
