package org.pgbaton.spring.leader;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.pgbaton.Baton;
import org.pgbaton.spring.LeaderOnly;
import org.pgbaton.spring.listener.ListenerDeclarationException;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Puts {@link LeaderOnlyInterceptor} around the beans that have methods with {@link LeaderOnly}, outside every other advice: a transaction
 * begins after the leadership was won. Methods that cannot work are refused here. As Spring calls it.
 */
public final class LeaderOnlyProcessor extends AbstractAdvisingBeanPostProcessor {
    private static final long serialVersionUID = 1L;

    /**
     * For this Baton, which is asked for when it is needed.
     *
     * @param texts resolves placeholders
     */
    public LeaderOnlyProcessor(Supplier<Baton> baton, UnaryOperator<String> texts) {
        this.advisor = new DefaultPointcutAdvisor(
                new AnnotationMatchingPointcut(null, LeaderOnly.class, true), new LeaderOnlyInterceptor(baton, texts));
        setBeforeExistingAdvisors(true);
        setProxyTargetClass(true);
        // Before the processor of @Scheduled, which calls what it is handed: the proxy.
        setOrder(Ordered.LOWEST_PRECEDENCE - 100);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        Class<?> type = AopUtils.getTargetClass(bean);
        if (AnnotationUtils.isCandidateClass(type, LeaderOnly.class)
                && !type.getName().startsWith("org.springframework.")) {
            MethodIntrospector.selectMethods(
                            type, (Method method) -> AnnotatedElementUtils.hasAnnotation(method, LeaderOnly.class))
                    .forEach(method -> require(type, method));
        }
        return super.postProcessAfterInitialization(bean, name);
    }

    private static void require(Class<?> type, Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isFinal(modifiers) || Modifier.isStatic(modifiers)) {
            throw refused(method, "is private, final or static, so no proxy can skip it: make it an ordinary method.");
        }
        if (Modifier.isFinal(type.getModifiers())) {
            throw refused(method, "is in a final class, of which there can be no proxy: remove final.");
        }
        Class<?> result = method.getReturnType();
        if (result != void.class && result.isPrimitive()) {
            throw refused(
                    method,
                    "returns " + result
                            + ", and a skipped call has none: return nothing, an object (null when skipped) or an"
                            + " Optional.");
        }
        if (CompletionStage.class.isAssignableFrom(result) || Future.class.isAssignableFrom(result)) {
            throw refused(
                    method,
                    "returns before its work is done, and the leadership would end with that: wait for the work.");
        }
    }

    private static ListenerDeclarationException refused(Method method, String what) {
        return new ListenerDeclarationException(method, "with @LeaderOnly " + what, null);
    }
}
