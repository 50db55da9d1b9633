package org.pgbaton.subscription;

/**
 * A target that takes messages and a relay's progress in one transaction, so that every message is there exactly once: Kafka, for
 * consumers that read what is committed.
 *
 * <p>The lanes of the relay are owned in fixed groups, each with a {@link Feed} of its own.
 *
 * <p>Threading: called by several threads at once.
 */
public interface TransactionalPublisher extends AutoCloseable {
    /** Where messages go, for people; without secrets. */
    String target();

    /** In how many groups the lanes of a relay are owned; the same for all processes, and as long as the relay exists. */
    int groups();

    /**
     * Takes a feed over: when this returns, whoever had it before cannot commit anything any more. Blocks, within a time limit.
     *
     * @param subscription the relay's name; for a target beside the live one the name, a NUL character and the target
     * @param group from 0
     * @throws HandlerException if the target is away, or refuses
     */
    Feed open(String subscription, int group);

    /** Closes it, after all of its feeds. */
    @Override
    void close();
}
