package org.pgbaton.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** By default whoever awaits something fails when any thread of the JVM does; but the tests beside this one break connections on purpose. */
public final class EachTestAwaitsForItself implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }
}
