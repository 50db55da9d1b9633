package org.pgbaton.testkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Resolves parameters of the type {@link TestDatabase}; see {@link BatonTest}. */
final class TestDatabaseExtension implements ParameterResolver {
    private static final Namespace HERE = Namespace.create(TestDatabaseExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestDatabase.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        // The store closes what is AutoCloseable when the test is over.
        return context.getStore(HERE)
                .computeIfAbsent(
                        parameter.getIndex(), index -> TestServer.shared().newDatabase());
    }
}
