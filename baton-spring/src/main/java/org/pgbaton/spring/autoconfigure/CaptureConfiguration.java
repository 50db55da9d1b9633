package org.pgbaton.spring.autoconfigure;

import org.pgbaton.Baton;
import org.pgbaton.spring.capture.PropertyCaptures;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Starts the captures that properties describe. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = "baton.captures", name = "enabled", matchIfMissing = true)
class CaptureConfiguration {
    @Bean
    @ConditionalOnMissingBean
    PropertyCaptures batonPropertyCaptures(Baton baton, Environment environment) {
        return PropertyCaptures.of(baton, environment);
    }
}
