package org.pgbaton.testkit.publisher;

/** A broker on this machine, to be killed and frozen. It keeps its port and its data. */
public interface BrokerServer extends AutoCloseable {
    int port();

    /** SIGSTOP: it answers nothing, and its kernel goes on answering for it. */
    void freeze() throws InterruptedException;

    /** SIGCONT. */
    void thaw();

    /** What was declared so far survives a kill from now on. */
    default void writeDown() {}

    /** SIGKILL. */
    void kill() throws InterruptedException;

    /** In good order. */
    void stop() throws InterruptedException;

    /** After it was killed or stopped. */
    void restart();

    /** Kills it, and removes its folder. */
    @Override
    void close();
}
