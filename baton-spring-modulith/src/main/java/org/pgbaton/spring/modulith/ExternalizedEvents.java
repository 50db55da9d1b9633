package org.pgbaton.spring.modulith;

import java.util.Map;
import org.pgbaton.log.Draft;
import org.pgbaton.spring.Outbox;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends each event that is to be externalized by the outbox, while it is published: on the thread and in the transaction of the publisher.
 *
 * <p>Guarantee: the event is sent if, and only if, that transaction commits. Without one the publication fails, as {@link Outbox#send(Draft)}
 * does. If sending fails, the transaction cannot commit any more, even if somebody swallows the failure. Spring Modulith's own externalizers listen after the commit instead, on another thread; a process that dies in between has lost the
 * event, unless the event publication registry has a row for it.
 *
 * <p>What is sent, in Modulith's words: the mapped event, its headers, the routing's target as topic, the routing's key as key. A mapping may
 * give a {@link Draft}; what it has set stays. Thread-safe.
 */
final class ExternalizedEvents implements ApplicationListener<ApplicationEvent> {
    private static final TransactionDefinition PART_OF_AN_OPEN_ONE =
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_MANDATORY);

    private final EventExternalizationConfiguration configuration;
    private final Outbox outbox;
    private final RoutingExpressions routing;
    private final Iterable<PlatformTransactionManager> managers;

    ExternalizedEvents(EventExternalizationConfiguration configuration, Outbox outbox, BeanFactory beans) {
        this.configuration = configuration;
        this.outbox = outbox;
        this.routing = new RoutingExpressions(beans);
        this.managers = beans.getBeanProvider(PlatformTransactionManager.class);
    }

    /** Another thread has no part in the publisher's transaction. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    @Override
    public void onApplicationEvent(ApplicationEvent published) {
        Object event = published instanceof PayloadApplicationEvent<?> wrapped ? wrapped.getPayload() : published;
        try {
            if (configuration.supports(event)) {
                outbox.send(draft(configuration.map(event), configuration.determineTarget(event)));
            }
        } catch (RuntimeException | Error failed) {
            forbidCommit(failed);
            throw failed;
        }
    }

    /** The application's multicaster may have an ErrorHandler, which swallows the failure; the publisher would then commit without the message. */
    private void forbidCommit(Throwable failed) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return;
        }
        managers.forEach(manager -> {
            try {
                TransactionStatus part = manager.getTransaction(PART_OF_AN_OPEN_ONE);
                part.setRollbackOnly();
                manager.rollback(part); // marks the whole one, which its owner ends
            } catch (IllegalTransactionStateException none) {
                // The open transaction is another manager's.
            } catch (RuntimeException also) {
                failed.addSuppressed(also);
            }
        });
    }

    private Draft draft(Object payload, RoutingTarget target) {
        Draft draft = outbox.draft(payload);
        if (draft.topic() == null) {
            draft = draft.topic(routing.target(target, payload));
        }
        String key = draft.key() == null ? routing.key(target, payload) : null;
        if (key != null) {
            draft = draft.key(key);
        }
        for (Map.Entry<String, Object> header :
                configuration.getHeadersFor(payload).entrySet()) {
            draft = draft.headerIfAbsent(header.getKey(), String.valueOf(header.getValue()));
        }
        return draft;
    }
}
