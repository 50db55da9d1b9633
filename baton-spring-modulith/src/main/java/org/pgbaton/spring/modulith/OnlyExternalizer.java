package org.pgbaton.spring.modulith;

import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.ClassUtils;

/**
 * Fails the start if Spring Modulith has an externalizer, too, such as that of {@code spring-modulith-events-kafka}: every event would be sent
 * twice.
 */
final class OnlyExternalizer implements SmartInitializingSingleton {
    /** Of Modulith 1.4 and 2.1. By name: 1.4 does not have the second, and 2.1 means to remove the first. */
    private static final List<String> OF_MODULITH = List.of(
            "org.springframework.modulith.events.support.DelegatingEventExternalizer",
            "org.springframework.modulith.events.support.EventExternalizerModuleListener");

    private final ListableBeanFactory beans;

    OnlyExternalizer(ListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        ClassLoader loader = getClass().getClassLoader();
        for (String name : OF_MODULITH) {
            if (ClassUtils.isPresent(name, loader)) {
                String[] found = beans.getBeanNamesForType(ClassUtils.resolveClassName(name, loader));
                if (found.length > 0) {
                    throw new SecondExternalizerException(found[0]);
                }
            }
        }
    }
}
