package org.pgbaton.spring.boot3;

import org.pgbaton.Baton;
import org.pgbaton.spring.actuator.BatonHealth;
import org.pgbaton.spring.autoconfigure.BatonAutoConfiguration;
import org.pgbaton.spring.start.DatabaseAtStart;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.CompositeHealthContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The health of subscriptions, leaderships and captures, as {@code baton} in {@code /actuator/health}. */
@AutoConfiguration(after = BatonAutoConfiguration.class)
@ConditionalOnClass({CompositeHealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean({Baton.class, DatabaseAtStart.class})
@ConditionalOnEnabledHealthIndicator("baton")
public class HealthAutoConfiguration {
    /** Public for Spring. */
    public HealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "batonHealthContributor")
    CompositeHealthContributor batonHealthContributor(Baton baton, DatabaseAtStart database) {
        return new BatonHealthContributor(new BatonHealth(baton, database));
    }
}
