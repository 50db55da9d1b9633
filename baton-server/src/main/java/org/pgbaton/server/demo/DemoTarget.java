package org.pgbaton.server.demo;

import java.util.List;

/** Where the demo's relay publishes to, and what arrives there. */
interface DemoTarget extends AutoCloseable {
    /** For people. */
    String name();

    /** The topic of the messages. */
    String topic();

    /** What a worker is told, to publish there. */
    List<String> workerOptions();

    Arrivals arrivals();

    /** Whether nothing comes twice, whoever is killed. */
    boolean isExactlyOnce();

    @Override
    void close();
}
