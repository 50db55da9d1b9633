package org.pgbaton.testkit.publisher;

/** A broker on this machine that tests can kill and freeze. It keeps its port and its data. */
public interface BrokerServer extends AutoCloseable {
    int port();

    /** SIGSTOP: it answers nothing, and its kernel goes on answering for it. */
    void freeze() throws InterruptedException;

    /** SIGCONT. */
    void thaw();

    /** Makes everything that was declared so far survive a kill. */
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
