package org.pgbaton.server.command;

/** Whether a person sits at the other end. Only the launcher can tell: from Java 22 on System.console() is never null. */
public final class Terminal {
    private Terminal() {}

    public static boolean isInput() {
        return Boolean.getBoolean("baton.terminal.input");
    }

    public static boolean isOutput() {
        return Boolean.getBoolean("baton.terminal.output");
    }
}
