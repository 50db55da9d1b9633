package org.pgbaton.checkpoint;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Something that Baton rests on was changed: a log's sequence, triggers, indexes, or who may see its rows.
 *
 * @param grave messages could be missed; otherwise it is only slow
 */
public record UnsafeLog(boolean grave, String problem, String remedy) {
    /** One sentence after the other: what is wrong, to what, what to do. */
    public static String describe(String log, List<UnsafeLog> found) {
        return found.stream()
                .map(each -> "Log '" + log + "' cannot be relied on: " + each.problem + ". " + each.remedy)
                .collect(Collectors.joining(" "));
    }
}
