package org.pgbaton.spring.leader;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Contention;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.spring.CurrentTerm;
import org.pgbaton.spring.LeaderOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Runs a call while this process leads, and skips it otherwise. Thread-safe. */
final class LeaderOnlyInterceptor implements MethodInterceptor {
    private static final Logger log = LoggerFactory.getLogger(LeaderOnlyInterceptor.class);

    private final Supplier<Baton> baton;
    private final UnaryOperator<String> texts;
    private final Map<LeaderOnly, Leadership> leaderships = new ConcurrentHashMap<>();

    LeaderOnlyInterceptor(Supplier<Baton> baton, UnaryOperator<String> texts) {
        this.baton = baton;
        this.texts = texts;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Class<?> type = call.getThis() == null
                ? call.getMethod().getDeclaringClass()
                : call.getThis().getClass();
        LeaderOnly annotation = annotationOf(call.getMethod(), type);
        if (annotation == null) {
            return call.proceed();
        }
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalTransactionStateException("Cannot call " + call.getMethod()
                    + " with @LeaderOnly: a transaction is open on this thread, and would commit after the leadership has"
                    + " ended. Call it outside of that, and put @Transactional on the method itself.");
        }
        Leadership leadership = leaderships.computeIfAbsent(annotation, this::leadership);
        AtomicReference<@Nullable Object> result = new AtomicReference<>();
        boolean ran = leadership.run(Contention.SKIP, term -> CurrentTerm.with(term, () -> result.set(proceed(call))));
        if (!ran) {
            log.debug(
                    "{} is skipped: another process leads '{}', or it is too soon.",
                    call.getMethod(),
                    leadership.name());
            return call.getMethod().getReturnType() == Optional.class ? Optional.empty() : null;
        }
        return result.get();
    }

    static @Nullable LeaderOnly annotationOf(Method method, Class<?> type) {
        Method specific = org.springframework.aop.support.AopUtils.getMostSpecificMethod(method, type);
        return AnnotatedElementUtils.findMergedAnnotation(specific, LeaderOnly.class);
    }

    /** @throws IllegalArgumentException if a value cannot be */
    Leadership leadership(LeaderOnly annotation) {
        Leadership leadership = baton.get().leadership(texts.apply(annotation.value()));
        String every = texts.apply(annotation.atMostEvery());
        String lease = texts.apply(annotation.lease());
        if (!every.isEmpty()) {
            leadership = leadership.atMostEvery(DurationFormatterUtils.detectAndParse(every));
        }
        if (!lease.isEmpty()) {
            leadership = leadership.lease(DurationFormatterUtils.detectAndParse(lease));
        }
        return leadership;
    }

    private static @Nullable Object proceed(MethodInvocation call) throws Exception {
        try {
            return call.proceed();
        } catch (Exception | Error failed) {
            throw failed;
        } catch (Throwable other) {
            throw new IllegalStateException(other);
        }
    }
}
