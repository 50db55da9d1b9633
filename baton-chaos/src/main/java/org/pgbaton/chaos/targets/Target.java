package org.pgbaton.chaos.targets;

import java.util.List;
import java.util.Set;
import org.pgbaton.chaos.worker.Part;

/** Where the relay of a round sends to. Not thread-safe, but for what arrives. */
public interface Target extends AutoCloseable {
    /** Whose target it is. */
    Part part();

    /** What the processes have to know; in the form that {@code Parts} wants. */
    String address();

    /** How much has arrived, roughly; while it is there. */
    long count() throws Exception;

    /** Everything that has arrived, in the order in which its readers see it; while it is there. */
    List<Arrival> arrivals() throws Exception;

    /** Answers nobody any more, and breaks no connection. */
    void fallSilent() throws Exception;

    void answerAgain();

    /** Takes nothing. */
    void goAway() throws Exception;

    void comeBack() throws Exception;

    /** From now on it refuses messages of these keys, and no others, if it can. */
    default void refuse(Set<String> keys) {}

    @Override
    void close();
}
