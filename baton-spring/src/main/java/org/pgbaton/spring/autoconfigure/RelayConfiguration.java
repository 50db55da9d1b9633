package org.pgbaton.spring.autoconfigure;

import org.pgbaton.Baton;
import org.pgbaton.spring.relay.PropertyRelays;
import org.pgbaton.spring.relay.Relays;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Starts the publishers with {@code @BatonRelay}, and the relays that properties describe. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = "baton.relays", name = "enabled", matchIfMissing = true)
class RelayConfiguration {
    @Bean
    @ConditionalOnMissingBean
    Relays batonRelays(ConfigurableListableBeanFactory beans, Baton baton) {
        return new Relays(beans, baton);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    PropertyRelays batonPropertyRelays(Baton baton, Environment environment, ConfigurableListableBeanFactory beans) {
        return PropertyRelays.open(baton, environment, beans.getBeanClassLoader());
    }
}
