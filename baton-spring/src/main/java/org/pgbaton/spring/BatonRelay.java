package org.pgbaton.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.pgbaton.subscription.MessageOrder;

/**
 * Makes a bean that is a {@link org.pgbaton.subscription.Publisher} or a {@link org.pgbaton.subscription.TransactionalPublisher} the target
 * of a relay, which runs in this process. Stands on the {@code @Bean} method or on the class. {@code baton.relays.enabled=false} leaves all
 * relays to others, such as {@code baton serve}.
 *
 * <pre>{@code
 * @Bean
 * @BatonRelay(subscription = "orders-to-kafka")
 * TransactionalPublisher kafka() { … }
 * }</pre>
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface BatonRelay {
    /** The name of the subscription, under which its progress is kept. May have placeholders. */
    String subscription();

    /** The log to publish from. May have placeholders. */
    String log() default "outbox";

    /** Only messages of these types. Default: all. */
    String[] types() default {};

    /** What to keep in order. */
    MessageOrder order() default MessageOrder.PER_KEY;
}
