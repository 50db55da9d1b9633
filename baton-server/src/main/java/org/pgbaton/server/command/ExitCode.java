package org.pgbaton.server.command;

/** The exit codes of {@code baton}. They follow sysexits.h. Scripts depend on them, so they never change. */
public final class ExitCode {
    public static final int DONE = 0;
    /** The command ran, and its verdict is negative. */
    public static final int NEGATIVE = 1;

    public static final int USAGE = 64;
    public static final int DATABASE_UNREACHABLE = 69;
    public static final int INTERNAL_ERROR = 70;
    /** Somebody else leads, or something did not happen in time. */
    public static final int TRY_LATER = 75;

    public static final int CONFIGURATION = 78;
    public static final int CANNOT_EXECUTE = 126;
    public static final int NOT_FOUND = 127;
    /** Plus the number of the signal. */
    public static final int SIGNAL = 128;

    private ExitCode() {}
}
