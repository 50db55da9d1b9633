package org.pgbaton.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets a method of a bean run in one process at a time. Who calls it while another process leads is not kept waiting: the call is skipped.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 3 * * *")
 * @LeaderOnly(value = "nightly-report", atMostEvery = "12h")
 * public void report() { … }
 * }</pre>
 *
 * <p>A skipped call does nothing and returns null, or an empty {@code Optional}; so the method must not return a primitive. It runs within
 * the leadership: a transaction of {@code @Transactional} on the same method begins after it was won, and ends before it is given up.
 * Called while a transaction is open it is refused with an {@code IllegalTransactionStateException}: that one would end too late.
 * {@link CurrentTerm} has the epoch and the guard, for writes that must not happen after the leadership was lost.
 *
 * <p>Works where Spring's proxies do: not for calls within the same object, and not for private, final or static methods, which fail the
 * start. Each call that runs uses a dedicated connection while it runs.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {
    /** The name of the leadership; the same in all processes. May have placeholders. */
    String value();

    /** A call is skipped, too, until this has passed since the last one that ended well began, whoever ran it: {@code 12h}. Default: no limit. */
    String atMostEvery() default "";

    /** How long a process that froze keeps the leadership: 2s or more. Default: 10s. */
    String lease() default "";
}
