package org.pgbaton.publication;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CapturedTable;
import org.pgbaton.pgoutput.Operation;

/**
 * The settings of a capture, complete and checked. Immutable.
 *
 * @param messages the prefix of logical messages to capture too, or null
 * @param existingRows whether a new capture also sends the rows that exist
 * @param foreignPublication whether somebody else made the publication and maintains it
 */
public record CapturePlan(
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

    /** The name of the leadership under which one process at a time reads. The view {@code capture_status} contains it too. */
    public String leadership() {
        return "capture/" + name;
    }

    List<String> keyOf(CapturedTable table) {
        return table.key().isEmpty() ? key : table.key();
    }

    public List<String> operationWords() {
        return operations.stream().sorted().map(Operation::word).toList();
    }

    /** The beginning of a message about this capture. */
    public String heading() {
        return "Capture '" + name + "': ";
    }

    /** The advice for a capture that has lost its place in the WAL. */
    public String adviceToStartAgain() {
        return "Run 'baton captures drop " + name
                + "', which keeps the log, and start it again, with the rows that are there if the gap matters.";
    }
}
