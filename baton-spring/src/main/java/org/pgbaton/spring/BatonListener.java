package org.pgbaton.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.typed.UnknownType;

/**
 * Makes a method of a bean the handler of a subscription, in every process of the application together.
 *
 * <pre>{@code
 * @BatonListener(log = "events", subscription = "balances")
 * void on(Deposited event, Message message) {
 *     jdbc.sql("UPDATE balance SET amount = amount + ? WHERE account = ?").params(event.amount(), message.key()).update();
 * }
 * }</pre>
 *
 * <p>Guarantee: it is called for every message, in order per key. Its writes and the progress of the subscription commit together, in a
 * transaction of the application's own transaction manager: exactly once. With {@link #reaction} it is called outside any transaction, at
 * least once, for effects elsewhere.
 *
 * <p>Parameters, in any order: the {@link org.pgbaton.log.Message}; its payload as an object of a class of the application; its headers as
 * {@code Map<String, String>}; the {@code Connection} of a projection; the {@link org.pgbaton.subscription.Delivery} of a reaction. For a
 * batch: {@code List<Message>}, or a list of payloads. The method returns nothing; when it throws, the message was not handled.
 *
 * <p>Several methods may have the same subscription, with a payload class each and the same attributes.
 *
 * <p>Texts may have placeholders: {@code ${shop.log}}. Times are written {@code 500ms}, {@code 30s}, {@code PT5M}. A declaration that cannot
 * work fails the start of the application.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface BatonListener {
    /** The name of the subscription, under which its progress is kept. */
    String subscription();

    /** The log to read. */
    String log() default "events";

    /** For effects outside the database: called outside any transaction, at least once. */
    boolean reaction() default false;

    /** Only messages of these types. Default: all. */
    String[] types() default {};

    /** What to do with messages whose type has no method. Only with a payload parameter. */
    UnknownType unknown() default UnknownType.PARK;

    /** Only messages whose key begins like this. Default: all. */
    String keyPrefix() default "";

    /** What to keep in order. */
    MessageOrder order() default MessageOrder.PER_KEY;

    /** Begins, the first time, with messages that are written from then on. Default: with the oldest message of the log. */
    boolean fromNow() default false;

    /** What to do about other processes with the same subscription. */
    InstanceMode mode() default InstanceMode.COORDINATED;

    /** Which version of the projection this is, to rebuild it beside the live one. */
    String target() default "";

    /** How many messages are handled together in one transaction, at most. Default: 500, with a backlog and a quick handler up to 5000. */
    int batch() default 0;

    /** How many batches run at the same time in this process. Default: 4. */
    int workers() default 0;

    /** After so many failures of one message its key is parked. Default: 5. */
    int attempts() default 0;

    /** A call that takes longer is interrupted. Default: 30s. */
    String handlerLimit() default "";

    /** A key whose call takes longer is set aside, so that others need not wait. Default: 1s. */
    String slowKey() default "";

    /** Exceptions after which the message is tried again, and its key parked after some attempts. The default for most. */
    Class<? extends Throwable>[] retryOn() default {};

    /** Exceptions that are the message's own fault: its key is parked at once. */
    Class<? extends Throwable>[] parkOn() default {};

    /** Exceptions that would meet every message: the subscription pauses and tries again, without counting attempts. */
    Class<? extends Throwable>[] outageOn() default {};

    /** Exceptions after which the subscription stops, everywhere, until somebody resumes it. */
    Class<? extends Throwable>[] stopOn() default {};

    /** The name of the transaction manager bean. Default: the one of Baton's data source. */
    String transactionManager() default "";
}
