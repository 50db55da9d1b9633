package org.pgbaton.spring.autoconfigure;

import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.spring.ListenerErrors;
import org.pgbaton.spring.autoconfigure.BatonAutoConfiguration.ChosenDataSource;
import org.pgbaton.spring.listener.ListenerObserver;
import org.pgbaton.spring.listener.ListenerSubscriptions;
import org.pgbaton.spring.listener.Listeners;
import org.pgbaton.spring.transaction.CallersTransaction;
import org.pgbaton.spring.transaction.ManagerOfDataSource;
import org.pgbaton.spring.transaction.SpringTransactions;
import org.pgbaton.typed.Codecs;
import org.pgbaton.typed.MessageTypes;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.transaction.PlatformTransactionManager;

/** Starts the methods with {@code @BatonListener}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = "baton.listeners", name = "enabled", matchIfMissing = true)
class ListenerConfiguration {
    private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

    @Bean
    @ConditionalOnMissingBean
    Listeners batonListeners(
            ConfigurableListableBeanFactory beans,
            Baton baton,
            ChosenDataSource chosen,
            ObjectProvider<Codecs> codecs,
            ObjectProvider<MessageTypes> types,
            ObjectProvider<ListenerErrors> errors,
            ObjectProvider<PlatformTransactionManager> managers,
            ObjectProvider<ListenerObserver> observer,
            Environment environment) {
        CallersTransaction callers = new CallersTransaction(chosen.source());
        Function<String, SpringTransactions> transactions = name -> new SpringTransactions(
                name.isEmpty()
                        ? ManagerOfDataSource.among(managers.stream().toList(), managers.getIfUnique(), chosen.source())
                        : beans.getBean(name, PlatformTransactionManager.class),
                callers,
                "a listener");
        return new Listeners(
                beans,
                new ListenerSubscriptions(
                        baton,
                        codecs.getIfUnique(),
                        types.getIfUnique(),
                        errors.getIfUnique(),
                        threads(environment),
                        transactions,
                        beans::resolveEmbeddedValue,
                        observer.getIfUnique(() -> ListenerObserver.NONE)));
    }

    /** Boot's own switch; without effect before Java 21, as in Boot. */
    private static @Nullable Executor threads(Environment environment) {
        boolean virtual = environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
                && Runtime.version().feature() >= FIRST_JAVA_WITH_VIRTUAL_THREADS;
        return virtual ? new VirtualThreadTaskExecutor("baton-listener-") : null;
    }
}
