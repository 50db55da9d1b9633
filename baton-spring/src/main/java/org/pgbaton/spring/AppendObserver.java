package org.pgbaton.spring;

import java.util.List;
import java.util.Map;
import org.pgbaton.log.Appended;

/** Sees each call that appends through {@link Outbox} or {@link EventLog}. Called on the sender's thread. */
@FunctionalInterface
public interface AppendObserver {
    /** Looks at nothing. */
    AppendObserver NONE = (log, append) -> append.withHeaders(Map.of());

    /**
     * Appends, and returns what that returned.
     *
     * @param log the name of the log
     */
    List<Appended> observe(String log, Append append);

    /** Appends the messages of one call, each with these headers, where it has none of the same name. */
    @FunctionalInterface
    interface Append {
        /** Appends. */
        List<Appended> withHeaders(Map<String, String> headers);
    }
}
