package org.pgbaton.spring.boot3;

import org.jspecify.annotations.Nullable;
import org.pgbaton.spring.autoconfigure.BatonAutoConfiguration;
import org.pgbaton.spring.start.DatabaseAddress;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;

/** The address of the database as Boot knows it: from properties, a service connection of Testcontainers, Docker Compose. */
@AutoConfiguration(after = DataSourceAutoConfiguration.class, before = BatonAutoConfiguration.class)
@ConditionalOnBean(JdbcConnectionDetails.class)
public class ConnectionDetailsAutoConfiguration {
    /** Public for Spring. */
    public ConnectionDetailsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    DatabaseAddress batonDatabaseAddress(JdbcConnectionDetails details) {
        return new DatabaseAddress() {
            @Override
            public @Nullable String url() {
                return details.getJdbcUrl();
            }

            @Override
            public @Nullable String user() {
                return details.getUsername();
            }

            @Override
            public @Nullable String password() {
                return details.getPassword();
            }
        };
    }
}
