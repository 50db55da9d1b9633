package org.pgbaton.server.command;

/** Whether standard input and output are a terminal. The script {@code baton} finds out, because System.console() is never null from Java 22 on. */
public final class Terminal {
    private Terminal() {}

    public static boolean isInput() {
        return Boolean.getBoolean("baton.terminal.input");
    }

    public static boolean isOutput() {
        return Boolean.getBoolean("baton.terminal.output");
    }
}
