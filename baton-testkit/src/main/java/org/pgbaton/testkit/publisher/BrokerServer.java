package org.pgbaton.testkit.publisher;

/** A broker on this machine that tests can kill and freeze. It keeps its port and its data. */
public interface BrokerServer extends AutoCloseable {
    /** Where it listens. */
    int port();

    /** Freezes it (SIGSTOP): it answers nothing, and its kernel goes on answering for it. */
    void freeze() throws InterruptedException;

    /** Lets it go on (SIGCONT). */
    void thaw();

    /** Makes everything that was declared so far survive a kill. */
    default void writeDown() {}

    /** Kills it (SIGKILL). */
    void kill() throws InterruptedException;

    /** Ends it in good order. */
    void stop() throws InterruptedException;

    /** Starts it again, after it was killed or stopped. */
    void restart();

    /** Kills it, and removes its folder. */
    @Override
    void close();
}
