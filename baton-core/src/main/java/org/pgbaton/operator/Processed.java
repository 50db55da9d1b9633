package org.pgbaton.operator;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.pgbaton.session.BackgroundTasks;
import org.pgbaton.table.LogTable;

/**
 * Waits until a subscription has processed a message, wherever its members run: looks at what is stored, less and less often, without a
 * thread of its own. Thread-safe.
 */
final class Processed {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    private final BackgroundTasks background;
    private final OperatorTransactions operator;

    Processed(BackgroundTasks background, OperatorTransactions operator) {
        this.background = background;
        this.operator = operator;
    }

    CompletableFuture<Void> await(String name, long position) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        background.execute(() -> look(answer, name, position, FIRST_PAUSE));
        return answer;
    }

    private void look(CompletableFuture<Void> answer, String name, long position, Duration next) {
        if (answer.isDone()) {
            return;
        }
        try {
            if (isProcessed(name, position)) {
                answer.complete(null);
                return;
            }
        } catch (RuntimeException failed) {
            answer.completeExceptionally(failed);
            return;
        }
        Duration longer = next.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : next.multipliedBy(2);
        background.later(() -> look(answer, name, position, longer), next);
    }

    private boolean isProcessed(String name, long position) {
        return operator.database().call("look how far subscription '" + name + "' is", connection -> {
            OperatorTransactions.Found found = operator.find(connection, name, null);
            int id = found.id();
            int lane = laneOf(connection, LogTable.find(operator.database(), connection, found.log()), position);
            return operator.sql()
                    .all(
                            connection,
                            OperatorSql.PROCESSED,
                            row -> row.getBoolean(1),
                            id,
                            position,
                            id,
                            position,
                            lane,
                            lane,
                            id)
                    .get(0);
        });
    }

    /** Not there (not committed yet, or removed): -1, and every lane has to pass it. */
    private int laneOf(Connection connection, LogTable log, long position) throws SQLException {
        String sql = OperatorSql.ROW_LANE.formatted(log.table());
        List<Integer> lane = operator.sql().all(connection, sql, row -> row.getInt(1), position);
        return lane.isEmpty() ? -1 : lane.get(0);
    }
}
