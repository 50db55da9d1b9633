package org.pgbaton.spring.autoconfigure;

import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.spring.AppendObserver;
import org.pgbaton.spring.BatonDataSource;
import org.pgbaton.spring.DraftCustomizer;
import org.pgbaton.spring.EventLog;
import org.pgbaton.spring.LogFactory;
import org.pgbaton.spring.Outbox;
import org.pgbaton.spring.PayloadDrafts;
import org.pgbaton.spring.start.BatonLifecycle;
import org.pgbaton.spring.start.DatabaseAddress;
import org.pgbaton.spring.start.DatabaseAtStart;
import org.pgbaton.spring.start.DirectAddressCheck;
import org.pgbaton.spring.start.DirectConnections;
import org.pgbaton.spring.start.PoolAddress;
import org.pgbaton.spring.start.StartedWithContext;
import org.pgbaton.spring.transaction.CallersTransaction;
import org.pgbaton.spring.transaction.DataSources;
import org.pgbaton.spring.transaction.EndedTransactions;
import org.pgbaton.spring.transaction.UnclearDataSourceException;
import org.pgbaton.typed.Codecs;
import org.pgbaton.typed.MessageTypes;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** Makes a {@link Baton} of the application's data source, and what applications use of it. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration"
        })
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(prefix = "baton", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(BatonProperties.class)
@Import({
    Jackson3Configuration.class,
    Jackson2Configuration.class,
    ListenerConfiguration.class,
    LeaderConfiguration.class,
    ObservationConfiguration.class,
    MetricsConfiguration.class,
    ActuatorConfiguration.class,
    DashboardConfiguration.class,
    CaptureConfiguration.class,
    RelayConfiguration.class
})
public class BatonAutoConfiguration {
    /** The data source that Baton uses. A bean of its own, so that everybody means the same one. */
    public record ChosenDataSource(DataSource source) {}

    /** Public for Spring. */
    public BatonAutoConfiguration() {}

    /** Static: processors are made before other beans. */
    @Bean
    @ConditionalOnMissingBean
    static EndedTransactions batonEndedTransactions() {
        return new EndedTransactions();
    }

    @Bean
    @ConditionalOnMissingBean
    ChosenDataSource batonDataSource(
            @BatonDataSource ObjectProvider<DataSource> marked, ObjectProvider<DataSource> all) {
        DataSource source = marked.getIfUnique();
        if (source == null) {
            source = all.getIfUnique();
        }
        if (source == null) {
            throw new UnclearDataSourceException(
                    "The application has " + all.stream().count()
                            + " DataSource beans and none is primary, so it is not clear which of them Baton should use.");
        }
        return new ChosenDataSource(source);
    }

    @Bean
    @ConditionalOnMissingBean
    DirectConnections batonDirectConnections(
            ChosenDataSource chosen,
            BatonProperties properties,
            ObjectProvider<DatabaseAddress> details,
            Environment environment) {
        DataSource pool = DataSources.forOwnWork(chosen.source());
        return direct(pool, properties.datasource(), details.getIfAvailable(), environment);
    }

    /** Open, but nothing was asked of the database yet: see {@link DatabaseAtStart}. */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Baton baton(ChosenDataSource chosen, DirectConnections direct, BatonProperties properties) {
        DataSource pool = DataSources.forOwnWork(chosen.source());
        Baton.Builder builder =
                Baton.builder(pool, direct).schema(properties.schema()).lease(properties.lease());
        if (properties.name() != null) {
            builder.who(properties.name());
        }
        direct.url().ifPresent(builder::replication);
        return builder.openUnchecked();
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    DatabaseAtStart batonDatabaseAtStart(
            Baton baton, ChosenDataSource chosen, DirectConnections direct, BatonProperties properties) {
        BatonProperties.Start start = properties.start();
        DatabaseAtStart database = DatabaseAtStart.open(
                baton,
                new DatabaseAtStart.Policy(properties.migrate(), start.waitForDatabase(), start.requireDatabase()));
        DataSource pool = DataSources.forOwnWork(chosen.source());
        if (properties.datasource().url() != null || PoolAddress.of(pool).isEmpty()) {
            database.whenReady(new DirectAddressCheck(pool, direct));
        }
        return database;
    }

    @Bean
    @ConditionalOnMissingBean
    BatonLifecycle batonLifecycle(DatabaseAtStart database, ObjectProvider<StartedWithContext> parts) {
        return new BatonLifecycle(database, parts.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    LogFactory batonLogFactory(
            Baton baton,
            DatabaseAtStart database,
            ChosenDataSource chosen,
            ObjectProvider<Codecs> codecs,
            ObjectProvider<MessageTypes> types,
            ObjectProvider<DraftCustomizer> customizers,
            ObjectProvider<AppendObserver> observer) {
        return new LogFactory(
                baton,
                database,
                new CallersTransaction(chosen.source()),
                new PayloadDrafts(codecs.getIfUnique(), types.getIfUnique()),
                customizers.orderedStream().toList(),
                observer.getIfUnique(() -> AppendObserver.NONE));
    }

    @Bean
    @ConditionalOnMissingBean
    Outbox batonOutbox(LogFactory logs, BatonProperties properties) {
        return logs.outbox(properties.outbox());
    }

    @Bean
    @ConditionalOnMissingBean
    EventLog batonEventLog(LogFactory logs, BatonProperties properties) {
        return logs.eventLog(properties.events());
    }

    /** The first of: {@code baton.datasource.*}, what the pool says, Boot's connection details, {@code spring.datasource.*}. */
    private static DirectConnections direct(
            DataSource pool, BatonProperties.Direct given, @Nullable DatabaseAddress details, Environment environment) {
        DatabaseAddress ofPool = PoolAddress.of(pool).orElse(details);
        if (ofPool == null) {
            ofPool = DatabaseAddress.of(
                    environment.getProperty("spring.datasource.url"),
                    environment.getProperty("spring.datasource.username"),
                    environment.getProperty("spring.datasource.password"));
        }
        boolean own = given.url() != null;
        DatabaseAddress address = new GivenAddress(given, ofPool);
        return new DirectConnections(address, own ? Map.of() : PoolAddress.driverProperties(pool));
    }

    /** What is not given is taken from the pool. */
    private record GivenAddress(BatonProperties.Direct given, DatabaseAddress pool) implements DatabaseAddress {
        @Override
        public @Nullable String url() {
            return given.url() == null ? pool.url() : given.url();
        }

        @Override
        public @Nullable String user() {
            return given.username() == null ? pool.user() : given.username();
        }

        @Override
        public @Nullable String password() {
            return given.password() == null ? pool.password() : given.password();
        }
    }
}
