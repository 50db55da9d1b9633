package org.pgbaton.server.command;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/**
 * Signals of the operating system. {@code sun.misc.Signal} is the only way to see one in Java. It is reached by reflection, since javac
 * warns of it and takes no word for an answer. A signal that was ignored when we were started, as {@code nohup} does it, stays so.
 */
public final class OsSignal {
    private OsSignal() {}

    /**
     * @param name such as TERM
     * @param receiver gets the signal's number, on a thread of its own, each time it arrives
     */
    public static void handle(String name, IntConsumer receiver) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object signal = type.getConstructor(String.class).newInstance(name);
            int number = (int) type.getMethod("getNumber").invoke(signal);
            InvocationHandler handler = (proxy, method, arguments) -> {
                receiver.accept(number);
                return null;
            };
            Object proxy = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {handlerType}, handler);
            type.getMethod("handle", type, handlerType).invoke(null, signal, proxy);
        } catch (ReflectiveOperationException unusual) {
            throw new IllegalStateException("This Java cannot handle the signal " + name + ".", unusual);
        }
    }
}
