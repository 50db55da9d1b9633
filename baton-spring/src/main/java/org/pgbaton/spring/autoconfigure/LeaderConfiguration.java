package org.pgbaton.spring.autoconfigure;

import org.pgbaton.Baton;
import org.pgbaton.spring.leader.LeaderOnlyProcessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Lets methods with {@code @LeaderOnly} run in one process at a time. */
@Configuration(proxyBeanMethods = false)
class LeaderConfiguration {
    /** Static, and without a Baton yet: processors are made before other beans. */
    @Bean
    @ConditionalOnMissingBean
    static LeaderOnlyProcessor batonLeaderOnlyProcessor(ObjectProvider<Baton> baton, ConfigurableBeanFactory beans) {
        return new LeaderOnlyProcessor(baton::getObject, text -> {
            String resolved = beans.resolveEmbeddedValue(text);
            return resolved == null ? "" : resolved;
        });
    }
}
