package org.pgbaton.capture;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a capture should do.
 *
 * @param messages the prefix of logical messages to take as well, or null
 * @param existingRows whether a capture that begins also sends the rows that are there
 * @param foreignPublication whether somebody else made the publication, and keeps it
 */
record Plan(
        String name,
        List<CapturedTable> tables,
        Set<Operation> operations,
        List<String> key,
        @Nullable String messages,
        boolean existingRows,
        String log,
        String publication,
        boolean foreignPublication,
        String slot) {

    /** The name of the leadership under which one process at a time reads. The status view knows it too. */
    String leadership() {
        return "capture/" + name;
    }

    List<String> keyOf(CapturedTable table) {
        return table.key().isEmpty() ? key : table.key();
    }

    List<String> operationWords() {
        return operations.stream().sorted().map(Operation::word).toList();
    }
}
