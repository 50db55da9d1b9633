package org.pgbaton.spring.modulith;

import org.pgbaton.database.BatonException;

/** Spring Modulith would externalize each event a second time, by itself. */
public final class SecondExternalizerException extends BatonException {
    private static final long serialVersionUID = 1L;

    SecondExternalizerException(String bean) {
        super(
                "Events would be externalized twice: by Baton's outbox and by Spring Modulith's bean '" + bean
                        + "'. Remove Modulith's module for the broker, such as spring-modulith-events-kafka, or set"
                        + " baton.modulith.enabled=false.",
                null);
    }
}
