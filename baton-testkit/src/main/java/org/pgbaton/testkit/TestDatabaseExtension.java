package org.pgbaton.testkit;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Resolves parameters of the type {@link TestDatabase}; see {@link BatonTest}. A database lives as long as the context
 * that asked for it: a test method with its set-up and tear-down, or a class.
 *
 * <p>Uses only methods that JUnit 5.12 and JUnit 6 have in common and that neither deprecates. The two differ in how a
 * store computes and closes values, so this class does both itself.
 */
final class TestDatabaseExtension implements ParameterResolver, AfterEachCallback, AfterAllCallback {
    private static final Namespace HERE = Namespace.create(TestDatabaseExtension.class);

    /** Not closeable, so that no store closes it. */
    private record Made(TestDatabase database) {}

    /** The databases that end with a context. */
    private static final class Ending {
        final List<TestDatabase> databases = new ArrayList<>();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestDatabase.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        // Tests that run at the same time share the context of their class.
        synchronized (TestDatabaseExtension.class) {
            Store store = context.getStore(HERE);
            Made made = store.get(parameter.getIndex(), Made.class);
            if (made == null) {
                made = new Made(TestServer.shared().newDatabase());
                store.put(parameter.getIndex(), made);
                // Not get, which would also find the value of the class.
                Ending ending = store.remove(Ending.class, Ending.class);
                ending = ending == null ? new Ending() : ending;
                ending.databases.add(made.database);
                store.put(Ending.class, ending);
            }
            return made.database;
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        end(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        end(context);
    }

    private static void end(ExtensionContext context) {
        Ending ending = context.getStore(HERE).remove(Ending.class, Ending.class);
        if (ending != null) {
            ending.databases.forEach(TestDatabase::close);
        }
    }
}
