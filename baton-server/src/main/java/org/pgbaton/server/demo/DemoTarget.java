package org.pgbaton.server.demo;

import java.util.List;

/** The target that the demo publishes to, and what arrives there. */
interface DemoTarget extends AutoCloseable {
    /** For people. */
    String name();

    /** The topic of the messages. */
    String topic();

    /** The options by which a worker publishes there. */
    List<String> workerOptions();

    Arrivals arrivals();

    /** Whether nothing arrives twice, whoever is killed. */
    boolean isExactlyOnce();

    @Override
    void close();
}
