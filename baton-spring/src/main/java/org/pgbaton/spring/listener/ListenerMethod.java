package org.pgbaton.spring.listener;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.transaction.SpringTransactions;
import org.pgbaton.typed.MessageTypes;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ReflectionUtils;

/**
 * One method of one bean, checked and ready to be called, through the bean's proxy if it has one. Thread-safe if the bean is.
 *
 * @param method as it is declared, for sentences
 * @param invocable as it is called
 */
record ListenerMethod(
        Object bean, Method method, Method invocable, BatonListener annotation, ListenerParameters parameters) {
    /** @throws ListenerDeclarationException if the method cannot be a listener */
    static ListenerMethod of(Object bean, Class<?> type, Method method, BatonListener annotation) {
        if (Modifier.isStatic(method.getModifiers())) {
            throw refused(method, "is static: a listener is a method of a bean.");
        }
        if (method.getReturnType() != void.class) {
            throw refused(
                    method,
                    "returns " + method.getReturnType().getSimpleName()
                            + ": a listener returns nothing, and the message is handled when it returns.");
        }
        if (AopUtils.isCglibProxy(bean) && Modifier.isFinal(method.getModifiers())) {
            throw refused(method, "is final, and its bean has a proxy that cannot pass the call on: remove final.");
        }
        if (isMarked(method, type, Async.class)) {
            throw refused(method, "is @Async, and would return before the message is handled: remove @Async.");
        }
        if (!annotation.reaction()) {
            requireSameTransaction(method, type);
        }
        ListenerParameters parameters = ListenerParameters.of(method, type, annotation.reaction());
        return new ListenerMethod(bean, method, invocable(bean, method), annotation, parameters);
    }

    /** Spring's annotation, and Jakarta's if it is on the class path. */
    private static void requireSameTransaction(Method method, Class<?> type) {
        TransactionAttribute attribute =
                new AnnotationTransactionAttributeSource(false).getTransactionAttribute(method, type);
        if (attribute == null) {
            return;
        }
        int propagation = attribute.getPropagationBehavior();
        if (propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                || propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED
                || propagation == TransactionDefinition.PROPAGATION_NEVER) {
            throw refused(
                    method,
                    "is @Transactional with " + named(propagation)
                            + ", so its writes would not commit together with the subscription's progress: remove that, or say"
                            + " reaction = true.");
        }
    }

    private static String named(int propagation) {
        return switch (propagation) {
            case TransactionDefinition.PROPAGATION_REQUIRES_NEW -> "REQUIRES_NEW";
            case TransactionDefinition.PROPAGATION_NOT_SUPPORTED -> "NOT_SUPPORTED";
            default -> "NEVER";
        };
    }

    private static boolean isMarked(
            Method method, Class<?> type, Class<? extends java.lang.annotation.Annotation> annotation) {
        return AnnotatedElementUtils.hasAnnotation(method, annotation)
                || AnnotatedElementUtils.hasAnnotation(type, annotation);
    }

    private static Method invocable(Object bean, Method method) {
        try {
            Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
            ReflectionUtils.makeAccessible(invocable);
            return invocable;
        } catch (IllegalStateException hidden) {
            throw new ListenerDeclarationException(
                    method,
                    "cannot be called through the proxy of its bean: make it public, in a class that is not final, or in an"
                            + " interface of the bean.",
                    hidden);
        }
    }

    private static ListenerDeclarationException refused(Method method, String what) {
        return new ListenerDeclarationException(method, what, null);
    }

    void call(ListenerFailures failures, @Nullable SpringTransactions transactions, Object[] arguments)
            throws Exception {
        try {
            invocable.invoke(bean, arguments);
            if (transactions != null) {
                transactions.flush();
            }
        } catch (Exception failed) {
            Throwable thrown = failures.translated(unwrapped(failed));
            if (thrown instanceof Error error) {
                throw error;
            }
            throw thrown instanceof Exception theirs ? theirs : new IllegalStateException(thrown);
        }
    }

    /** The payloads of a batch, each of the class that the method names. */
    List<Object> payloads(@Nullable MessageTypes types, List<Message> messages) {
        Class<?> wanted = parameters.payload();
        if (types == null || wanted == null) {
            return List.of();
        }
        return messages.stream()
                .<Object>map(message -> wanted.cast(types.read(message)))
                .toList();
    }

    private static Throwable unwrapped(Exception failed) {
        Throwable thrown = failed instanceof InvocationTargetException wrapped ? wrapped.getTargetException() : failed;
        return thrown instanceof UndeclaredThrowableException wrapped ? wrapped.getUndeclaredThrowable() : thrown;
    }

    @Override
    public String toString() {
        return ListenerDeclarationException.named(method);
    }
}
