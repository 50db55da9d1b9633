package org.pgbaton.spring.test;

import java.lang.reflect.Modifier;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.TestPropertySourceUtils;

/**
 * Lets an application connect to a new database, which is dropped after the application has ended.
 *
 * <p>Equal only for the same owner, so that Spring's cache gives no application to two test classes.
 *
 * @param owner the test class; for a nested one the outermost
 */
record OwnDatabase(Class<?> owner) implements ContextCustomizer {
    private static final String NAME = "batonTestDatabase";

    static Class<?> ownerOf(Class<?> testClass) {
        Class<?> owner = testClass;
        while (owner.getEnclosingClass() != null && !Modifier.isStatic(owner.getModifiers())) {
            owner = owner.getEnclosingClass();
        }
        return owner;
    }

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        TestDatabase database = TestServer.shared().newDatabase();
        TestPropertySourceUtils.addInlinedPropertiesToEnvironment(
                context,
                "spring.datasource.url=" + database.url(),
                // Those of the application are for another server.
                "spring.datasource.username=postgres",
                "spring.datasource.password=",
                "spring.datasource.hikari.minimum-idle=0");
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        beans.registerSingleton(NAME, database);
        DefaultListableBeanFactory factory = (DefaultListableBeanFactory) beans;
        // The first of all beans, so that it ends last.
        factory.registerDisposableBean(NAME, () -> drop(database));
        factory.registerBeanDefinition("batonSentMessages", new RootBeanDefinition(SentMessages.class));
    }

    private static void drop(TestDatabase database) {
        try {
            database.close();
        } catch (IllegalStateException ending) {
            // The JVM ends, and the server with it.
        }
    }
}
