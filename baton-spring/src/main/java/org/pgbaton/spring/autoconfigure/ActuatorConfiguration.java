package org.pgbaton.spring.autoconfigure;

import org.pgbaton.Baton;
import org.pgbaton.spring.actuator.BatonEndpoint;
import org.pgbaton.spring.actuator.BatonStatus;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint {@code /actuator/baton}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
class ActuatorConfiguration {
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    BatonEndpoint batonEndpoint(Baton baton) {
        return new BatonEndpoint(new BatonStatus(baton), baton.subscriptions());
    }
}
