package org.pgbaton.spring.listener;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;

/** A method with an annotation of Baton's that cannot work. */
public final class ListenerDeclarationException extends BatonException {
    private static final long serialVersionUID = 1L;

    /**
     * About a method.
     *
     * @param what is wrong with it, and what to do: "has no parameter: …"
     */
    public ListenerDeclarationException(Method method, String what, @Nullable Throwable cause) {
        super("The method " + named(method) + " " + what, cause);
    }

    /** {@code Orders.on(OrderPlaced)}. */
    public static String named(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName() + "("
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", "))
                + ")";
    }
}
