package org.pgbaton.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.log.Draft;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Whatever stands between the application and its pool: the message shares the order's fate, or is refused with a sentence. */
@BatonTest
class ProxiedDataSourcesTest {
    /** What the application has as its DataSource bean, around the same pool. */
    enum Proxy {
        NONE,
        TRANSACTION_AWARE,
        LAZY,
        TRANSACTION_AWARE_AND_LAZY,
        ROUTING,
        LAZY_AND_ROUTING;

        DataSource around(DataSource pool) {
            return switch (this) {
                case NONE -> pool;
                case TRANSACTION_AWARE -> new TransactionAwareDataSourceProxy(pool);
                case LAZY -> new LazyConnectionDataSourceProxy(pool);
                case TRANSACTION_AWARE_AND_LAZY ->
                    new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(pool));
                case ROUTING -> routing(pool);
                case LAZY_AND_ROUTING -> new LazyConnectionDataSourceProxy(routing(pool));
            };
        }
    }

    private static DataSource routing(DataSource pool) {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected @Nullable Object determineCurrentLookupKey() {
                return "only";
            }
        };
        routing.setTargetDataSources(Map.of("only", pool));
        routing.afterPropertiesSet();
        return routing;
    }

    @Configuration
    static class OneProxy {
        @Bean
        HikariDataSource pool(Environment environment) {
            return newPool(environment.getRequiredProperty("spring.datasource.url"), true);
        }

        @Bean
        @Primary
        DataSource proxy(HikariDataSource pool, Environment environment) {
            return Proxy.valueOf(environment.getRequiredProperty("proxy")).around(pool);
        }

        @Bean
        TransactionTemplate transactions(PlatformTransactionManager manager) {
            return new TransactionTemplate(manager);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theMessageSharesTheOrdersFate(Proxy proxy, TestDatabase database) throws Exception {
        database.execute("CREATE TABLE orders (id text PRIMARY KEY)");
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of("proxy=" + proxy), OneProxy.class)) {
            JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
            Outbox outbox = context.getBean(Outbox.class);
            TransactionTemplate transactions = context.getBean(TransactionTemplate.class);

            for (boolean commit : new boolean[] {true, false}) {
                transactions.executeWithoutResult(status -> {
                    jdbc.update("INSERT INTO orders VALUES (?)", "order-" + commit);
                    outbox.send(Draft.json("{}").topic("orders").key("order-" + commit));
                    if (!commit) {
                        status.setRollbackOnly();
                    }
                });
            }
            transactions.executeWithoutResult(
                    status -> outbox.send(Draft.json("{}").topic("orders").key("alone")));

            assertThat(database.one("SELECT string_agg(id, ' ') FROM orders")).isEqualTo("order-true");
            assertThat(database.one("SELECT string_agg(key, ' ' ORDER BY position) FROM baton.outbox"))
                    .isEqualTo("order-true alone");
            assertThatThrownBy(() -> outbox.send(Draft.json("{}").topic("orders")))
                    .hasMessageContaining("no transaction is open");
        }
    }

    private static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

    @Configuration
    static class Tenants {
        @Bean
        DataSource tenants(Environment environment) {
            AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
                @Override
                protected @Nullable Object determineCurrentLookupKey() {
                    return TENANT.get();
                }
            };
            routing.setDefaultTargetDataSource(newPool(environment.getRequiredProperty("spring.datasource.url"), true));
            routing.setTargetDataSources(Map.of("other", newPool(environment.getRequiredProperty("other"), true)));
            return routing;
        }

        @Bean
        TransactionTemplate transactions(PlatformTransactionManager manager) {
            return new TransactionTemplate(manager);
        }
    }

    @Test
    void aTransactionThatWasRoutedToAnotherDatabaseIsRefused(TestDatabase database, TestDatabase other)
            throws Exception {
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of("other=" + other.url()), Tenants.class)) {
            Outbox outbox = context.getBean(Outbox.class);
            TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
            Draft draft = Draft.json("{}").topic("orders");
            TENANT.set("other");
            transactions.executeWithoutResult(status -> assertThatThrownBy(() -> outbox.send(draft))
                    .isInstanceOf(IllegalTransactionStateException.class)
                    .hasMessageContaining("routed the open transaction to another database"));
            outbox.sendNow(Draft.json("{}").topic("orders"));
            TENANT.remove();
            transactions.executeWithoutResult(status -> outbox.send(draft));
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("2");
            assertThat(other.one("SELECT count(*) FROM baton.outbox")).isEqualTo("0");
        }
    }

    @Configuration
    static class TwoDatabases {
        @Bean
        @BatonDataSource
        HikariDataSource ours(Environment environment) {
            return newPool(
                    environment.getRequiredProperty("spring.datasource.url"),
                    environment.getRequiredProperty("autocommit", Boolean.class));
        }

        @Bean
        @Primary
        HikariDataSource theirs(Environment environment) {
            return newPool(environment.getRequiredProperty("other"), true);
        }

        @Bean
        @Primary
        PlatformTransactionManager theirTransactions(HikariDataSource theirs) {
            return new DataSourceTransactionManager(theirs);
        }

        @Bean
        PlatformTransactionManager ourTransactions(@BatonDataSource HikariDataSource ours) {
            return new DataSourceTransactionManager(ours);
        }
    }

    /** With autocommit off a connection that was only used beside another transaction looks like one in a transaction. Nobody would commit it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionOfAnotherDataSourceIsRefused(boolean autocommit, TestDatabase database, TestDatabase other)
            throws Exception {
        try (ConfigurableApplicationContext context = Applications.start(
                database, List.of("other=" + other.url(), "autocommit=" + autocommit), TwoDatabases.class)) {
            Outbox outbox = context.getBean(Outbox.class);
            DataSource ours = context.getBean("ours", DataSource.class);
            Draft draft = Draft.json("{}").topic("orders");
            TransactionTemplate theirs = new TransactionTemplate(context.getBean("theirTransactions", PlatformTransactionManager.class));
            theirs.executeWithoutResult(status -> {
                refused(() -> outbox.send(draft));
                new JdbcTemplate(ours).queryForObject("SELECT 1", Integer.class);
                DataSourceUtils.getConnection(ours);
                refused(() -> outbox.send(draft));
            });
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("0");

            new TransactionTemplate(context.getBean("ourTransactions", PlatformTransactionManager.class))
                    .executeWithoutResult(status -> outbox.send(draft));
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("1");
        }
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("is not one of Baton's data source");
    }

    private static HikariDataSource newPool(String url, boolean autocommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setAutoCommit(autocommit);
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }
}
