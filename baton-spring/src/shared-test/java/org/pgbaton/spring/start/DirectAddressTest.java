package org.pgbaton.spring.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.Outbox;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.PgBouncer;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/** Where Baton's own connections lead to, whatever the application's data source is: listeners need them. */
@BatonTest
class DirectAddressTest {
    private static final String NOBODY = "jdbc:postgresql://127.0.0.1:1/shop?user=app";
    /** A data source that does not say where its database is. */
    private static final String SILENT =
            "spring.datasource.type=org.springframework.jdbc.datasource.SimpleDriverDataSource";

    /** Gets messages, which takes dedicated connections. */
    static class Receiver {
        private final CountDownLatch got = new CountDownLatch(1);

        @BatonListener(log = "outbox", subscription = "receiver")
        void on(Message message) {
            got.countDown();
        }
    }

    @Configuration
    static class WithReceiver {
        @Bean
        Receiver receiver() {
            return new Receiver();
        }
    }

    private static void works(ConfigurableApplicationContext context) throws InterruptedException {
        Outbox outbox = context.getBean(Outbox.class);
        TransactionTemplate transactions = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        transactions.executeWithoutResult(
                status -> outbox.send(Draft.json("{}").topic("orders").key("1")));
        assertThat(context.getBean(Receiver.class).got.await(60, TimeUnit.SECONDS))
                .isTrue();
    }

    /** What Testcontainers' and Docker Compose's support make: a bean, while spring.datasource.url is not set, or leads elsewhere. */
    @Configuration
    @Import(ServiceConnection.class)
    static class WithServiceConnection extends WithReceiver {}

    /** The interface has another name in each Boot. */
    static class ServiceConnection implements ImportBeanDefinitionRegistrar {
        private final Environment environment;

        ServiceConnection(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            registry.registerBeanDefinition("serviceConnection", definition(type()));
        }

        private <T> RootBeanDefinition definition(Class<T> type) {
            Map<String, Object> answers = Map.of(
                    "getJdbcUrl", environment.getRequiredProperty("service.url"), "getUsername", "postgres", "getPassword", "");
            InvocationHandler handler = (proxy, method, arguments) -> {
                if (method.getDeclaringClass() == Object.class) {
                    return method.invoke(answers, arguments);
                }
                Object answer = answers.get(method.getName());
                return answer != null || !method.isDefault()
                        ? answer
                        : InvocationHandler.invokeDefault(proxy, method, arguments);
            };
            return new RootBeanDefinition(
                    type,
                    () -> type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler)));
        }

        private static Class<?> type() {
            ClassLoader loader = DirectAddressTest.class.getClassLoader();
            String ofBoot4 = "org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails";
            return ClassUtils.resolveClassName(
                    ClassUtils.isPresent(ofBoot4, loader)
                            ? ofBoot4
                            : "org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails",
                    loader);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.datasource.type=com.zaxxer.hikari.HikariDataSource", SILENT})
    void aServiceConnectionSaysIt(String property, TestDatabase database) throws Exception {
        String withoutUser = database.url().replaceFirst("\\?.*", "");
        try (ConfigurableApplicationContext context = Applications.start(
                NOBODY, "none", List.of("service.url=" + withoutUser, property), WithServiceConnection.class)) {
            works(context);
        }
    }

    @Test
    void propertiesSayItIfTheDataSourceDoesNot(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of(SILENT), WithReceiver.class)) {
            works(context);
        }
    }

    @Configuration
    static class OwnDataSource extends WithReceiver {
        @Bean
        DataSource own(Environment environment) {
            String url = environment.getRequiredProperty("own.url");
            if (environment.getRequiredProperty("own.silent", Boolean.class)) {
                return new SimpleDriverDataSource(new Driver(), url);
            }
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url);
            return source;
        }
    }

    private static ConfigurableApplicationContext own(
            String springUrl, TestDatabase database, boolean silent, String... more) {
        List<String> properties = new ArrayList<>(List.of("own.url=" + database.url(), "own.silent=" + silent));
        properties.addAll(List.of(more));
        return Applications.start(springUrl, "none", properties, OwnDataSource.class);
    }

    @Test
    void theDriversOwnDataSourceSaysIt(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = own(NOBODY, database, false)) {
            works(context);
        }
    }

    @Test
    void aDataSourceOfTheApplicationThatDoesNotSayItNeedsAnAddress(TestDatabase database) throws Exception {
        assertThatThrownBy(() -> own("", database, true))
                .hasStackTraceContaining("UnknownAddressException: Baton needs connections of its own");
        try (ConfigurableApplicationContext context =
                own("", database, true, "baton.datasource.url=" + database.url())) {
            works(context);
        }
    }

    /** spring.datasource.url may be left over, and lead to another database than the application's own bean. */
    @Test
    void anAddressOfAnotherDatabaseIsRefused(TestDatabase database, TestDatabase other) throws Exception {
        assertThatThrownBy(() -> own(other.url(), database, true))
                .hasStackTraceContaining("lead to another database than the DataSource");
        assertThatThrownBy(() -> own("", database, false, "baton.datasource.url=" + other.url()))
                .hasStackTraceContaining("lead to another database than the DataSource");
    }

    @Test
    void workGoesThroughThePoolerAndTheRestToTheDirectAddress(TestDatabase database, @TempDir Path folder)
            throws Exception {
        assumeTrue(PgBouncer.isInstalled(), "no PgBouncer here (apt-get install pgbouncer)");
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", folder, PgBouncer.FOR_JDBC);
                ConfigurableApplicationContext context = Applications.start(
                        pooler.jdbcUrl(),
                        "none",
                        List.of("baton.datasource.url=" + database.url(), "spring.datasource.hikari.maximum-pool-size=3"),
                        WithReceiver.class)) {
            works(context);
        }
    }
}
