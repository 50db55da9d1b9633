package org.pgbaton.spring.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Gives test classes with {@link BatonSpringTest} a database. Spring makes it, by {@code spring.factories}. */
final class OwnDatabaseFactory implements ContextCustomizerFactory {
    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        return TestContextAnnotationUtils.hasAnnotation(testClass, BatonSpringTest.class)
                ? new OwnDatabase(OwnDatabase.ownerOf(testClass))
                : null;
    }
}
