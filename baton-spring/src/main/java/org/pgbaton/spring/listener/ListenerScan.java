package org.pgbaton.spring.listener;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.spring.BatonListener;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds the methods with {@link BatonListener} of all beans, by their types: beans are made only if they have one. */
final class ListenerScan {
    private ListenerScan() {}

    static List<ListenerMethod> listeners(ConfigurableListableBeanFactory beans) {
        List<ListenerMethod> found = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : typeOf(beans, name);
            if (type != null && mayHaveListeners(type)) {
                Map<Method, @Nullable BatonListener> methods = MethodIntrospector.selectMethods(
                        type, (MethodIntrospector.MetadataLookup<@Nullable BatonListener>)
                                method -> AnnotatedElementUtils.findMergedAnnotation(method, BatonListener.class));
                methods.forEach((method, annotation) -> {
                    if (annotation != null) {
                        found.add(ListenerMethod.of(beans.getBean(name), type, method, annotation));
                    }
                });
            }
        }
        return found;
    }

    private static boolean mayHaveListeners(Class<?> type) {
        return !type.getName().startsWith("org.springframework.")
                && AnnotationUtils.isCandidateClass(type, BatonListener.class);
    }

    private static @Nullable Class<?> typeOf(ConfigurableListableBeanFactory beans, String name) {
        try {
            return AutoProxyUtils.determineTargetClass(beans, name);
        } catch (RuntimeException unresolvable) {
            return null; // a lazy bean of a class that is not there; whoever asks for it is told
        }
    }
}
