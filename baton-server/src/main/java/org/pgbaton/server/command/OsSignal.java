package org.pgbaton.server.command;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/**
 * Handles signals of the operating system. Java has no other way than {@code sun.misc.Signal}. It is called by reflection, because javac warns of
 * it and the warning cannot be suppressed. A signal that was ignored when the process was started, as by {@code nohup}, stays ignored.
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
