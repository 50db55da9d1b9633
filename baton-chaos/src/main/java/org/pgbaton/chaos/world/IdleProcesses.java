package org.pgbaton.chaos;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.pgbaton.chaos.worker.WorkerProgram;
import org.pgbaton.testkit.JavaProcess;

/**
 * Processes that one round has finished with and another one goes on with: a JVM that is warm costs a tenth of a new one. Not thread-safe.
 */
final class IdleProcesses implements AutoCloseable {
    private final Deque<JavaProcess> idle = new ArrayDeque<>();

    JavaProcess take() {
        while (!idle.isEmpty()) {
            JavaProcess next = idle.removeFirst();
            if (next.isAlive()) {
                return next;
            }
            next.close();
        }
        return JavaProcess.start(List.of(), WorkerProgram.class);
    }

    void giveBack(JavaProcess process) {
        idle.addLast(process);
    }

    @Override
    public void close() {
        idle.forEach(JavaProcess::close);
        idle.clear();
    }
}
