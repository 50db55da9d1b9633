package org.pgbaton.spring;

import org.pgbaton.log.Draft;

/**
 * A bean that changes each message before it is appended by {@link Outbox} or {@link EventLog}: adds a header, for instance. Several are
 * called in their order. Called on the sender's thread.
 */
@FunctionalInterface
public interface DraftCustomizer {
    /** The draft to append in place of this one. */
    Draft customize(Draft draft);
}
